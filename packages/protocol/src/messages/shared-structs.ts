import { array, int16, int32, nullable, string } from '../schema/field-builders.ts';
import { type StructDescription, struct } from '../schema/struct.ts';

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

export const nodeEndpoint: StructDescription<NodeEndpoint> = struct<NodeEndpoint>({
  nodeId: int32(),
  host: string(),
  port: int32(),
  rack: nullable(string()),
});

export const leaderIdAndEpoch: StructDescription<LeaderIdAndEpoch> = struct<LeaderIdAndEpoch>({
  leaderId: int32({ default: -1 }),
  leaderEpoch: int32({ default: -1 }),
});

export const topicPartitions: StructDescription<TopicPartitions> = struct<TopicPartitions>({
  name: string(),
  partitions: array(int32()),
});

export const topicPartitionIndexes: StructDescription<TopicPartitionIndexes> =
  struct<TopicPartitionIndexes>({
    name: string(),
    partitionIndexes: array(int32()),
  });

export const namedTopicPartitions: StructDescription<NamedTopicPartitions> =
  struct<NamedTopicPartitions>({
    topic: string(),
    partitions: array(int32()),
  });

export const topicResult: StructDescription<TopicResult> = struct<TopicResult>({
  name: string(),
  partitions: array(struct<PartitionResult>({ partitionIndex: int32(), errorCode: int16() })),
});
