// biome-ignore-all lint/style/noExcessiveLinesPerFile: nothing but names; every split would list each of them twice.

export { APIS, apiByKey } from './api-table.ts';
export { ByteReader, type ByteReaderOptions } from './byte-reader.ts';
export { ByteWriter, type EncodedFrame, type RecordsPayload } from './byte-writer.ts';
export {
  ERRORS,
  ErrorCode,
  type ErrorDescription,
  type ErrorName,
  errorByCode,
} from './error-table.ts';
export {
  FrameSizeError,
  MalformedMessageError,
  ProtocolError,
  UnencodableValueError,
  UnsupportedVersionError,
} from './errors.ts';
export { FrameReader, type FrameReaderOptions } from './framing/frame-reader.ts';
export { checkFrameSize, FRAME_SIZE_BYTES } from './framing/frame-size.ts';
export {
  type AddOffsetsToTxnRequest,
  type AddOffsetsToTxnResponse,
  addOffsetsToTxnApi,
} from './messages/add-offsets-to-txn.ts';
export {
  type AddPartitionsToTxnRequest,
  type AddPartitionsToTxnRequestTransaction,
  type AddPartitionsToTxnResponse,
  type AddPartitionsToTxnResponsePartition,
  type AddPartitionsToTxnResponseTopic,
  type AddPartitionsToTxnResponseTransaction,
  addPartitionsToTxnApi,
} from './messages/add-partitions-to-txn.ts';
export {
  type AlterClientQuotasRequest,
  type AlterClientQuotasRequestEntry,
  type AlterClientQuotasRequestOp,
  type AlterClientQuotasResponse,
  type AlterClientQuotasResponseEntry,
  alterClientQuotasApi,
} from './messages/alter-client-quotas.ts';
export {
  type AlterConfigsRequest,
  type AlterConfigsRequestConfig,
  type AlterConfigsRequestResource,
  type AlterConfigsResponse,
  type AlterConfigsResponseResource,
  alterConfigsApi,
} from './messages/alter-configs.ts';
export {
  type AlterUserScramCredentialsRequest,
  type AlterUserScramCredentialsRequestDeletion,
  type AlterUserScramCredentialsRequestUpsertion,
  type AlterUserScramCredentialsResponse,
  type AlterUserScramCredentialsResponseResult,
  alterUserScramCredentialsApi,
} from './messages/alter-user-scram-credentials.ts';
export {
  type ApiVersionsRequest,
  type ApiVersionsResponse,
  type ApiVersionsResponseApi,
  type ApiVersionsResponseFinalizedFeature,
  type ApiVersionsResponseSupportedFeature,
  apiVersionsApi,
} from './messages/api-versions.ts';
export {
  type ConsumerGroupDescribeRequest,
  type ConsumerGroupDescribeResponse,
  type ConsumerGroupDescribeResponseAssignment,
  type ConsumerGroupDescribeResponseGroup,
  type ConsumerGroupDescribeResponseMember,
  type ConsumerGroupDescribeResponseTopicPartitions,
  consumerGroupDescribeApi,
} from './messages/consumer-group-describe.ts';
export {
  type ConsumerGroupHeartbeatRequest,
  type ConsumerGroupHeartbeatResponse,
  type ConsumerGroupHeartbeatResponseAssignment,
  type ConsumerGroupHeartbeatTopicPartitions,
  consumerGroupHeartbeatApi,
} from './messages/consumer-group-heartbeat.ts';
export {
  type ConsumerProtocolAssignment,
  type ConsumerProtocolSubscription,
  consumerProtocolAssignment,
  consumerProtocolSubscription,
} from './messages/consumer-protocol.ts';
export {
  type CreateAclsRequest,
  type CreateAclsRequestCreation,
  type CreateAclsResponse,
  type CreateAclsResponseResult,
  createAclsApi,
} from './messages/create-acls.ts';
export {
  type CreatePartitionsRequest,
  type CreatePartitionsRequestAssignment,
  type CreatePartitionsRequestTopic,
  type CreatePartitionsResponse,
  type CreatePartitionsResponseResult,
  createPartitionsApi,
} from './messages/create-partitions.ts';
export {
  type CreateTopicsRequest,
  type CreateTopicsRequestAssignment,
  type CreateTopicsRequestConfig,
  type CreateTopicsRequestTopic,
  type CreateTopicsResponse,
  type CreateTopicsResponseConfig,
  type CreateTopicsResponseTopic,
  createTopicsApi,
} from './messages/create-topics.ts';
export {
  type DeleteAclsRequest,
  type DeleteAclsResponse,
  type DeleteAclsResponseFilterResult,
  type DeleteAclsResponseMatchingAcl,
  deleteAclsApi,
} from './messages/delete-acls.ts';
export {
  type DeleteGroupsRequest,
  type DeleteGroupsResponse,
  type DeleteGroupsResponseResult,
  deleteGroupsApi,
} from './messages/delete-groups.ts';
export {
  type DeleteRecordsRequest,
  type DeleteRecordsRequestPartition,
  type DeleteRecordsRequestTopic,
  type DeleteRecordsResponse,
  type DeleteRecordsResponsePartition,
  type DeleteRecordsResponseTopic,
  deleteRecordsApi,
} from './messages/delete-records.ts';
export {
  type DeleteTopicsRequest,
  type DeleteTopicsRequestTopic,
  type DeleteTopicsResponse,
  type DeleteTopicsResponseTopic,
  deleteTopicsApi,
} from './messages/delete-topics.ts';
export {
  type DescribeAclsResponse,
  type DescribeAclsResponseAcl,
  type DescribeAclsResponseResource,
  describeAclsApi,
} from './messages/describe-acls.ts';
export {
  type DescribeClientQuotasRequest,
  type DescribeClientQuotasRequestComponent,
  type DescribeClientQuotasResponse,
  type DescribeClientQuotasResponseEntry,
  type DescribeClientQuotasResponseValue,
  describeClientQuotasApi,
} from './messages/describe-client-quotas.ts';
export {
  type DescribeClusterRequest,
  type DescribeClusterResponse,
  type DescribeClusterResponseBroker,
  describeClusterApi,
} from './messages/describe-cluster.ts';
export {
  type DescribeConfigsRequest,
  type DescribeConfigsRequestResource,
  type DescribeConfigsResponse,
  type DescribeConfigsResponseConfig,
  type DescribeConfigsResponseResult,
  type DescribeConfigsResponseSynonym,
  describeConfigsApi,
} from './messages/describe-configs.ts';
export {
  type DescribeGroupsRequest,
  type DescribeGroupsResponse,
  type DescribeGroupsResponseGroup,
  type DescribeGroupsResponseMember,
  describeGroupsApi,
} from './messages/describe-groups.ts';
export {
  type DescribeLogDirsRequest,
  type DescribeLogDirsResponse,
  type DescribeLogDirsResponsePartition,
  type DescribeLogDirsResponseResult,
  type DescribeLogDirsResponseTopic,
  describeLogDirsApi,
} from './messages/describe-log-dirs.ts';
export {
  type DescribeProducersRequest,
  type DescribeProducersResponse,
  type DescribeProducersResponsePartition,
  type DescribeProducersResponseProducer,
  type DescribeProducersResponseTopic,
  describeProducersApi,
} from './messages/describe-producers.ts';
export {
  type DescribeTopicPartitionsCursor,
  type DescribeTopicPartitionsRequest,
  type DescribeTopicPartitionsRequestTopic,
  type DescribeTopicPartitionsResponse,
  type DescribeTopicPartitionsResponsePartition,
  type DescribeTopicPartitionsResponseTopic,
  describeTopicPartitionsApi,
} from './messages/describe-topic-partitions.ts';
export {
  type DescribeTransactionsRequest,
  type DescribeTransactionsResponse,
  type DescribeTransactionsResponseState,
  describeTransactionsApi,
} from './messages/describe-transactions.ts';
export {
  type DescribeUserScramCredentialsRequest,
  type DescribeUserScramCredentialsRequestUser,
  type DescribeUserScramCredentialsResponse,
  type DescribeUserScramCredentialsResponseInfo,
  type DescribeUserScramCredentialsResponseResult,
  describeUserScramCredentialsApi,
} from './messages/describe-user-scram-credentials.ts';
export {
  type ElectLeadersRequest,
  type ElectLeadersResponse,
  type ElectLeadersResponsePartition,
  type ElectLeadersResponseTopic,
  electLeadersApi,
} from './messages/elect-leaders.ts';
export { type EndTxnRequest, type EndTxnResponse, endTxnApi } from './messages/end-txn.ts';
export {
  type FetchRequest,
  type FetchRequestForgottenTopic,
  type FetchRequestPartition,
  type FetchRequestReplicaState,
  type FetchRequestTopic,
  type FetchResponse,
  type FetchResponseAbortedTransaction,
  type FetchResponseDivergingEpoch,
  type FetchResponsePartition,
  type FetchResponseSnapshotId,
  type FetchResponseTopic,
  fetchApi,
} from './messages/fetch.ts';
export {
  type FindCoordinatorRequest,
  type FindCoordinatorResponse,
  type FindCoordinatorResponseCoordinator,
  findCoordinatorApi,
} from './messages/find-coordinator.ts';
export {
  type GetTelemetrySubscriptionsRequest,
  type GetTelemetrySubscriptionsResponse,
  getTelemetrySubscriptionsApi,
} from './messages/get-telemetry-subscriptions.ts';
export {
  type HeartbeatRequest,
  type HeartbeatResponse,
  heartbeatApi,
} from './messages/heartbeat.ts';
export {
  type IncrementalAlterConfigsRequest,
  type IncrementalAlterConfigsRequestConfig,
  type IncrementalAlterConfigsRequestResource,
  incrementalAlterConfigsApi,
} from './messages/incremental-alter-configs.ts';
export {
  type InitProducerIdRequest,
  type InitProducerIdResponse,
  initProducerIdApi,
} from './messages/init-producer-id.ts';
export {
  type JoinGroupRequest,
  type JoinGroupRequestProtocol,
  type JoinGroupResponse,
  type JoinGroupResponseMember,
  joinGroupApi,
} from './messages/join-group.ts';
export {
  type LeaveGroupRequest,
  type LeaveGroupRequestMember,
  type LeaveGroupResponse,
  type LeaveGroupResponseMember,
  leaveGroupApi,
} from './messages/leave-group.ts';
export {
  type ListGroupsRequest,
  type ListGroupsResponse,
  type ListGroupsResponseGroup,
  listGroupsApi,
} from './messages/list-groups.ts';
export {
  type ListOffsetsRequest,
  type ListOffsetsRequestPartition,
  type ListOffsetsRequestTopic,
  type ListOffsetsResponse,
  type ListOffsetsResponsePartition,
  type ListOffsetsResponseTopic,
  listOffsetsApi,
} from './messages/list-offsets.ts';
export {
  type ListPartitionReassignmentsRequest,
  type ListPartitionReassignmentsResponse,
  type ListPartitionReassignmentsResponsePartition,
  type ListPartitionReassignmentsResponseTopic,
  listPartitionReassignmentsApi,
} from './messages/list-partition-reassignments.ts';
export {
  type ListTransactionsRequest,
  type ListTransactionsResponse,
  type ListTransactionsResponseState,
  listTransactionsApi,
} from './messages/list-transactions.ts';
export {
  type MetadataRequest,
  type MetadataRequestTopic,
  type MetadataResponse,
  type MetadataResponsePartition,
  type MetadataResponseTopic,
  metadataApi,
  OPERATIONS_NOT_ASKED,
} from './messages/metadata.ts';
export {
  type OffsetCommitRequest,
  type OffsetCommitRequestPartition,
  type OffsetCommitRequestTopic,
  type OffsetCommitResponse,
  offsetCommitApi,
} from './messages/offset-commit.ts';
export {
  type OffsetDeleteRequest,
  type OffsetDeleteRequestPartition,
  type OffsetDeleteRequestTopic,
  type OffsetDeleteResponse,
  offsetDeleteApi,
} from './messages/offset-delete.ts';
export {
  type OffsetFetchRequest,
  type OffsetFetchRequestGroup,
  type OffsetFetchResponse,
  type OffsetFetchResponseGroup,
  type OffsetFetchResponsePartition,
  type OffsetFetchResponseTopic,
  offsetFetchApi,
} from './messages/offset-fetch.ts';
export {
  type OffsetForLeaderEpochRequest,
  type OffsetForLeaderEpochRequestPartition,
  type OffsetForLeaderEpochRequestTopic,
  type OffsetForLeaderEpochResponse,
  type OffsetForLeaderEpochResponsePartition,
  type OffsetForLeaderEpochResponseTopic,
  offsetForLeaderEpochApi,
} from './messages/offset-for-leader-epoch.ts';
export {
  type ProduceRequest,
  type ProduceRequestPartition,
  type ProduceRequestTopic,
  type ProduceResponse,
  type ProduceResponsePartition,
  type ProduceResponseRecordError,
  type ProduceResponseTopic,
  produceApi,
} from './messages/produce.ts';
export {
  type PushTelemetryRequest,
  type PushTelemetryResponse,
  pushTelemetryApi,
} from './messages/push-telemetry.ts';
export {
  type SaslAuthenticateRequest,
  type SaslAuthenticateResponse,
  saslAuthenticateApi,
} from './messages/sasl-authenticate.ts';
export {
  type SaslHandshakeRequest,
  type SaslHandshakeResponse,
  saslHandshakeApi,
} from './messages/sasl-handshake.ts';
export type {
  AclFilter,
  LeaderIdAndEpoch,
  NamedTopicPartitions,
  NodeEndpoint,
  PartitionResult,
  QuotaEntity,
  TopicPartitionIndexes,
  TopicPartitions,
  TopicResult,
} from './messages/shared-structs.ts';
export {
  type SyncGroupRequest,
  type SyncGroupRequestAssignment,
  type SyncGroupResponse,
  syncGroupApi,
} from './messages/sync-group.ts';
export {
  type TxnOffsetCommitRequest,
  type TxnOffsetCommitRequestPartition,
  type TxnOffsetCommitRequestTopic,
  type TxnOffsetCommitResponse,
  txnOffsetCommitApi,
} from './messages/txn-offset-commit.ts';
export {
  type WriteTxnMarkersRequest,
  type WriteTxnMarkersRequestMarker,
  type WriteTxnMarkersResponse,
  type WriteTxnMarkersResponseMarker,
  writeTxnMarkersApi,
} from './messages/write-txn-markers.ts';
export { RECOMMENDED_VERSIONS, type RecommendedVersions } from './recommended-versions.ts';
export { decodeRequest, encodeRequest, type RequestEnvelope } from './request-frame.ts';
export { decodeRequestHeader, type RequestHeader, readRequestHeader } from './request-header.ts';
export { type DecodedResponse, decodeResponse, encodeResponse } from './response-frame.ts';
export type { ApiDescription } from './schema/api.ts';
export type {
  Field,
  PrimitiveKind,
  StructDescription,
  StructFields,
  TypeDescription,
} from './schema/description.ts';
export type { EmbeddedCodec } from './schema/embedded-codec.ts';
export type { MessageCodec, VersionRange } from './schema/message-codec.ts';
export { UUID_TEXT_LENGTH, ZERO_UUID } from './uuid.ts';
