import type { Clock } from '@logloft/clock';
import type { BrokerConfigs } from '../cluster/broker-configs.ts';
import type { ClusterStore } from '../cluster/cluster-store.ts';
import type { Handler } from '../dispatch/handler.ts';
import type { RemoteReads } from '../fetch/remote-reads.ts';
import type { ResponseMemory } from '../fetch/response-memory.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { alterConfigsHandler, incrementalAlterConfigsHandler } from '../handlers/alter-configs.ts';
import { apiVersionsHandler } from '../handlers/api-versions.ts';
import { createPartitionsHandler } from '../handlers/create-partitions.ts';
import { createTopicsHandler } from '../handlers/create-topics.ts';
import { deleteGroupsHandler } from '../handlers/delete-groups.ts';
import { deleteRecordsHandler } from '../handlers/delete-records.ts';
import { deleteTopicsHandler } from '../handlers/delete-topics.ts';
import { describeClusterHandler } from '../handlers/describe-cluster.ts';
import { describeConfigsHandler } from '../handlers/describe-configs.ts';
import { describeGroupsHandler } from '../handlers/describe-groups.ts';
import { describeLogDirsHandler, type VolumeSpace } from '../handlers/describe-log-dirs.ts';
import { describeTopicPartitionsHandler } from '../handlers/describe-topic-partitions.ts';
import { fetchHandler } from '../handlers/fetch.ts';
import { findCoordinatorHandler } from '../handlers/find-coordinator.ts';
import { heartbeatHandler } from '../handlers/heartbeat.ts';
import { initProducerIdHandler } from '../handlers/init-producer-id.ts';
import { joinGroupHandler } from '../handlers/join-group.ts';
import { leaveGroupHandler } from '../handlers/leave-group.ts';
import { listGroupsHandler } from '../handlers/list-groups.ts';
import { listOffsetsHandler } from '../handlers/list-offsets.ts';
import { metadataHandler } from '../handlers/metadata.ts';
import { offsetCommitHandler } from '../handlers/offset-commit.ts';
import { offsetDeleteHandler } from '../handlers/offset-delete.ts';
import { offsetFetchHandler } from '../handlers/offset-fetch.ts';
import { offsetForLeaderEpochHandler } from '../handlers/offset-for-leader-epoch.ts';
import { produceHandler } from '../handlers/produce.ts';
import { syncGroupHandler } from '../handlers/sync-group.ts';
import type { NodeIdentity } from '../node.ts';
import type { RemoteOffsets } from '../offsets/remote-offsets.ts';
import type { DeadlineQueue } from '../purgatory/deadline-queue.ts';
import type { BrokerStatistics } from '../statistics/broker-statistics.ts';
import type { TopicManager } from '../topics/topic-manager.ts';

/** Everything that handlers work with. */
export interface BrokerServices {
  readonly clock: Clock;
  readonly statistics: BrokerStatistics;
  readonly node: NodeIdentity;
  readonly cluster: ClusterStore;
  readonly configs: BrokerConfigs;
  readonly topics: TopicManager;
  readonly coordinator: GroupCoordinator;
  readonly deadlines: DeadlineQueue;
  readonly responseMemory: ResponseMemory;
  readonly remoteReads: RemoteReads;
  readonly remoteOffsets: RemoteOffsets;
  readonly logDirectory: string;
  readonly space: () => Promise<VolumeSpace>;
  /** Makes log starts outlive a crash. */
  readonly checkpoint: () => Promise<void>;
}

/** One handler for each API that is served. */
export function createHandlers(services: BrokerServices): readonly Handler[] {
  const handlers: Handler[] = [
    ...dataHandlers(services),
    ...groupHandlers(services.coordinator),
    ...adminHandlers(services),
  ];
  handlers.push(apiVersionsHandler(handlers));
  return handlers;
}

function dataHandlers(services: BrokerServices): Handler[] {
  const { clock, statistics, node, cluster, configs, topics, coordinator, deadlines } = services;
  const findPartition = topics.findPartition.bind(topics);
  return [
    produceHandler({
      clock,
      statistics,
      findPartition,
      isWritable: (name) => topics.byName(name)?.internal !== true,
    }),
    fetchHandler({
      deadlines,
      memory: services.responseMemory,
      remote: services.remoteReads,
      statistics,
      maxBytes: configs.values.number('fetch.max.bytes'),
      findPartition,
      findPartitionById: topics.findPartitionById.bind(topics),
    }),
    listOffsetsHandler({
      remote: services.remoteOffsets,
      deadlines,
      remoteTimeoutMs: () => configs.values.number('remote.list.offsets.request.timeout.ms'),
      findPartition,
    }),
    offsetForLeaderEpochHandler({ findPartition }),
    metadataHandler({
      node,
      topics,
      autoCreateTopics: () => configs.values.boolean('auto.create.topics.enable'),
    }),
    initProducerIdHandler(cluster),
    findCoordinatorHandler({ node, coordinatorReady: () => coordinator.isReady }),
  ];
}

function groupHandlers(coordinator: GroupCoordinator): Handler[] {
  return [
    joinGroupHandler(coordinator),
    syncGroupHandler(coordinator),
    heartbeatHandler(coordinator),
    leaveGroupHandler(coordinator),
    offsetCommitHandler(coordinator),
    offsetFetchHandler(coordinator),
    offsetDeleteHandler(coordinator),
    describeGroupsHandler(coordinator),
    listGroupsHandler(coordinator),
    deleteGroupsHandler(coordinator),
  ];
}

function adminHandlers(services: BrokerServices): Handler[] {
  const { node, configs, topics, space, logDirectory, checkpoint } = services;
  const configServices = { configs, topics, node };
  return [
    createTopicsHandler(configServices),
    deleteTopicsHandler({
      topics,
      deletionEnabled: () => configs.values.boolean('delete.topic.enable'),
    }),
    createPartitionsHandler({ topics, node }),
    deleteRecordsHandler({ topics, checkpoint }),
    describeConfigsHandler(configServices),
    alterConfigsHandler(configServices),
    incrementalAlterConfigsHandler(configServices),
    describeClusterHandler(node),
    describeLogDirsHandler({ topics, logDirectory, space }),
    describeTopicPartitionsHandler({ topics, node }),
  ];
}
