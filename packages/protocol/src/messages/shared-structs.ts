import { type StructDescription, struct } from '../schema/description.ts';
import { array, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** Where a node can be reached. */
export interface NodeEndpoint {
  nodeId: number;
  host: string;
  port: number;
  rack: string | null;
}

/** The leader of a partition, given when a client asked the wrong node or with an old epoch. */
export interface LeaderIdAndEpoch {
  leaderId: number;
  leaderEpoch: number;
}

/** Partitions of a topic by name, as `partitions`. */
export interface TopicPartitions {
  name: string;
  partitions: number[];
}

/** Partitions of a topic by name, as `partitionIndexes`. */
export interface TopicPartitionIndexes {
  name: string;
  partitionIndexes: number[];
}

/** Partitions of a topic whose name is called `topic`. */
export interface NamedTopicPartitions {
  topic: string;
  partitions: number[];
}

/** What happened to one partition. */
export interface PartitionResult {
  partitionIndex: number;
  errorCode: number;
}

/** What happened to the partitions of one topic. */
export interface TopicResult {
  name: string;
  partitions: PartitionResult[];
}

/**
 * Which access rules are meant; null lets every name, principal or host pass, and 1 every type,
 * operation or permission.
 */
export interface AclFilter {
  /** 1: any, 2: topic, 3: group, 4: cluster, 5: transactional id, 6: delegation token, 7: user. */
  resourceTypeFilter: number;
  resourceNameFilter: string | null;
  /** 1: any, 2: all that match the name, 3: literal, 4: prefixed. */
  patternTypeFilter: number;
  principalFilter: string | null;
  hostFilter: string | null;
  operation: number;
  /** 1: any, 2: deny, 3: allow. */
  permissionType: number;
}

/** One side of what a client quota applies to. */
export interface QuotaEntity {
  /** `user`, `client-id` or `ip`. */
  entityType: string;
  /** Null: those for which there is no quota by name. */
  entityName: string | null;
}

/** The fields of {@link NodeEndpoint}. */
export const nodeEndpoint: StructDescription<NodeEndpoint> = struct<NodeEndpoint>({
  nodeId: int32(),
  host: string(),
  port: int32(),
  rack: nullable(string()),
});

/** The fields of {@link LeaderIdAndEpoch}. */
export const leaderIdAndEpoch: StructDescription<LeaderIdAndEpoch> = struct<LeaderIdAndEpoch>({
  leaderId: int32({ default: -1 }),
  leaderEpoch: int32({ default: -1 }),
});

/** The fields of {@link TopicPartitions}. */
export const topicPartitions: StructDescription<TopicPartitions> = struct<TopicPartitions>({
  name: string(),
  partitions: array(int32()),
});

/** The fields of {@link TopicPartitionIndexes}. */
export const topicPartitionIndexes: StructDescription<TopicPartitionIndexes> =
  struct<TopicPartitionIndexes>({
    name: string(),
    partitionIndexes: array(int32()),
  });

/** The fields of {@link NamedTopicPartitions}. */
export const namedTopicPartitions: StructDescription<NamedTopicPartitions> =
  struct<NamedTopicPartitions>({
    topic: string(),
    partitions: array(int32()),
  });

/** The fields of {@link TopicResult}. */
export const topicResult: StructDescription<TopicResult> = struct<TopicResult>({
  name: string(),
  partitions: array(struct<PartitionResult>({ partitionIndex: int32(), errorCode: int16() })),
});

/** The fields of a filter, alike in DescribeAcls and DeleteAcls. */
export const aclFilter: StructDescription<AclFilter> = struct<AclFilter>({
  resourceTypeFilter: int8(),
  resourceNameFilter: nullable(string()),
  patternTypeFilter: int8({ from: 1, default: 3 }),
  principalFilter: nullable(string()),
  hostFilter: nullable(string()),
  operation: int8(),
  permissionType: int8(),
});

/** The fields of an entity, alike in all messages about client quotas. */
export const quotaEntity: StructDescription<QuotaEntity> = struct<QuotaEntity>({
  entityType: string(),
  entityName: nullable(string()),
});
