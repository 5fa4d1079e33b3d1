import { addOffsetsToTxnApi } from './messages/add-offsets-to-txn.ts';
import { addPartitionsToTxnApi } from './messages/add-partitions-to-txn.ts';
import { alterClientQuotasApi } from './messages/alter-client-quotas.ts';
import { alterConfigsApi } from './messages/alter-configs.ts';
import { alterUserScramCredentialsApi } from './messages/alter-user-scram-credentials.ts';
import { apiVersionsApi } from './messages/api-versions.ts';
import { consumerGroupDescribeApi } from './messages/consumer-group-describe.ts';
import { consumerGroupHeartbeatApi } from './messages/consumer-group-heartbeat.ts';
import { createAclsApi } from './messages/create-acls.ts';
import { createPartitionsApi } from './messages/create-partitions.ts';
import { createTopicsApi } from './messages/create-topics.ts';
import { deleteAclsApi } from './messages/delete-acls.ts';
import { deleteGroupsApi } from './messages/delete-groups.ts';
import { deleteRecordsApi } from './messages/delete-records.ts';
import { deleteTopicsApi } from './messages/delete-topics.ts';
import { describeAclsApi } from './messages/describe-acls.ts';
import { describeClientQuotasApi } from './messages/describe-client-quotas.ts';
import { describeClusterApi } from './messages/describe-cluster.ts';
import { describeConfigsApi } from './messages/describe-configs.ts';
import { describeGroupsApi } from './messages/describe-groups.ts';
import { describeLogDirsApi } from './messages/describe-log-dirs.ts';
import { describeProducersApi } from './messages/describe-producers.ts';
import { describeTopicPartitionsApi } from './messages/describe-topic-partitions.ts';
import { describeTransactionsApi } from './messages/describe-transactions.ts';
import { describeUserScramCredentialsApi } from './messages/describe-user-scram-credentials.ts';
import { electLeadersApi } from './messages/elect-leaders.ts';
import { endTxnApi } from './messages/end-txn.ts';
import { fetchApi } from './messages/fetch.ts';
import { findCoordinatorApi } from './messages/find-coordinator.ts';
import { getTelemetrySubscriptionsApi } from './messages/get-telemetry-subscriptions.ts';
import { heartbeatApi } from './messages/heartbeat.ts';
import { incrementalAlterConfigsApi } from './messages/incremental-alter-configs.ts';
import { initProducerIdApi } from './messages/init-producer-id.ts';
import { joinGroupApi } from './messages/join-group.ts';
import { leaveGroupApi } from './messages/leave-group.ts';
import { listGroupsApi } from './messages/list-groups.ts';
import { listOffsetsApi } from './messages/list-offsets.ts';
import { listPartitionReassignmentsApi } from './messages/list-partition-reassignments.ts';
import { listTransactionsApi } from './messages/list-transactions.ts';
import { metadataApi } from './messages/metadata.ts';
import { offsetCommitApi } from './messages/offset-commit.ts';
import { offsetDeleteApi } from './messages/offset-delete.ts';
import { offsetFetchApi } from './messages/offset-fetch.ts';
import { offsetForLeaderEpochApi } from './messages/offset-for-leader-epoch.ts';
import { produceApi } from './messages/produce.ts';
import { pushTelemetryApi } from './messages/push-telemetry.ts';
import { saslAuthenticateApi } from './messages/sasl-authenticate.ts';
import { saslHandshakeApi } from './messages/sasl-handshake.ts';
import { syncGroupApi } from './messages/sync-group.ts';
import { txnOffsetCommitApi } from './messages/txn-offset-commit.ts';
import { writeTxnMarkersApi } from './messages/write-txn-markers.ts';
import type { ApiDescription } from './schema/api.ts';

/** All APIs of this package, by ascending key. */
export const APIS: readonly ApiDescription[] = [
  produceApi,
  fetchApi,
  listOffsetsApi,
  metadataApi,
  offsetCommitApi,
  offsetFetchApi,
  findCoordinatorApi,
  joinGroupApi,
  heartbeatApi,
  leaveGroupApi,
  syncGroupApi,
  describeGroupsApi,
  listGroupsApi,
  saslHandshakeApi,
  apiVersionsApi,
  createTopicsApi,
  deleteTopicsApi,
  deleteRecordsApi,
  initProducerIdApi,
  offsetForLeaderEpochApi,
  addPartitionsToTxnApi,
  addOffsetsToTxnApi,
  endTxnApi,
  writeTxnMarkersApi,
  txnOffsetCommitApi,
  describeAclsApi,
  createAclsApi,
  deleteAclsApi,
  describeConfigsApi,
  alterConfigsApi,
  describeLogDirsApi,
  saslAuthenticateApi,
  createPartitionsApi,
  deleteGroupsApi,
  electLeadersApi,
  incrementalAlterConfigsApi,
  listPartitionReassignmentsApi,
  offsetDeleteApi,
  describeClientQuotasApi,
  alterClientQuotasApi,
  describeUserScramCredentialsApi,
  alterUserScramCredentialsApi,
  describeClusterApi,
  describeProducersApi,
  describeTransactionsApi,
  listTransactionsApi,
  consumerGroupHeartbeatApi,
  consumerGroupDescribeApi,
  getTelemetrySubscriptionsApi,
  pushTelemetryApi,
  describeTopicPartitionsApi,
];

const byKey: readonly (ApiDescription | undefined)[] = Array.from(
  { length: Math.max(...APIS.map((api) => api.key)) + 1 },
  (_, key) => APIS.find((api) => api.key === key),
);

/** The API with this key, or undefined when this package does not have it. */
export function apiByKey(key: number): ApiDescription | undefined {
  return byKey[key];
}
