import type { VersionRange } from './schema/message-codec.ts';

/** An API and the versions of it that a broker should advertise. */
export interface RecommendedVersions extends VersionRange {
  readonly key: number;
  readonly name: string;
}

/**
 * The ranges with which all common clients were seen to work, by ascending key. A broker advertises
 * those of them that it serves. They are narrower than what the codecs can do, for reasons:
 *
 * - Minima stay low: librdkafka before 2.11.1 turns features off when certain old versions are not in
 *   the range, and kafkajs does not look at the minimum at all. Produce 0 to 2 must then be answered
 *   with UNSUPPORTED_VERSION for each partition.
 * - Maxima end before versions that promise more than bytes: Produce 12, EndTxn 5 and TxnOffsetCommit
 *   5 mean that the broker adds partitions to transactions by itself (KIP-890); AddPartitionsToTxn 4
 *   is for brokers.
 */
export const RECOMMENDED_VERSIONS: readonly RecommendedVersions[] = [
  { key: 0, name: 'Produce', min: 0, max: 11 },
  { key: 1, name: 'Fetch', min: 4, max: 17 },
  { key: 2, name: 'ListOffsets', min: 1, max: 11 },
  { key: 3, name: 'Metadata', min: 0, max: 12 },
  { key: 8, name: 'OffsetCommit', min: 1, max: 9 },
  { key: 9, name: 'OffsetFetch', min: 1, max: 9 },
  { key: 10, name: 'FindCoordinator', min: 0, max: 6 },
  { key: 11, name: 'JoinGroup', min: 0, max: 9 },
  { key: 12, name: 'Heartbeat', min: 0, max: 4 },
  { key: 13, name: 'LeaveGroup', min: 0, max: 5 },
  { key: 14, name: 'SyncGroup', min: 0, max: 5 },
  { key: 15, name: 'DescribeGroups', min: 0, max: 5 },
  { key: 16, name: 'ListGroups', min: 0, max: 5 },
  { key: 17, name: 'SaslHandshake', min: 0, max: 1 },
  { key: 18, name: 'ApiVersions', min: 0, max: 4 },
  { key: 19, name: 'CreateTopics', min: 0, max: 7 },
  { key: 20, name: 'DeleteTopics', min: 1, max: 6 },
  { key: 21, name: 'DeleteRecords', min: 0, max: 2 },
  { key: 22, name: 'InitProducerId', min: 0, max: 5 },
  { key: 23, name: 'OffsetForLeaderEpoch', min: 2, max: 4 },
  { key: 24, name: 'AddPartitionsToTxn', min: 0, max: 3 },
  { key: 25, name: 'AddOffsetsToTxn', min: 0, max: 4 },
  { key: 26, name: 'EndTxn', min: 0, max: 4 },
  { key: 28, name: 'TxnOffsetCommit', min: 0, max: 4 },
  { key: 29, name: 'DescribeAcls', min: 1, max: 3 },
  { key: 30, name: 'CreateAcls', min: 1, max: 3 },
  { key: 31, name: 'DeleteAcls', min: 1, max: 3 },
  { key: 32, name: 'DescribeConfigs', min: 1, max: 4 },
  { key: 33, name: 'AlterConfigs', min: 0, max: 2 },
  { key: 35, name: 'DescribeLogDirs', min: 1, max: 4 },
  { key: 36, name: 'SaslAuthenticate', min: 0, max: 2 },
  { key: 37, name: 'CreatePartitions', min: 0, max: 3 },
  { key: 42, name: 'DeleteGroups', min: 0, max: 2 },
  { key: 44, name: 'IncrementalAlterConfigs', min: 0, max: 1 },
  { key: 47, name: 'OffsetDelete', min: 0, max: 0 },
  { key: 48, name: 'DescribeClientQuotas', min: 0, max: 1 },
  { key: 49, name: 'AlterClientQuotas', min: 0, max: 1 },
  { key: 50, name: 'DescribeUserScramCredentials', min: 0, max: 0 },
  { key: 51, name: 'AlterUserScramCredentials', min: 0, max: 0 },
  { key: 60, name: 'DescribeCluster', min: 0, max: 1 },
  { key: 61, name: 'DescribeProducers', min: 0, max: 0 },
  { key: 65, name: 'DescribeTransactions', min: 0, max: 0 },
  { key: 66, name: 'ListTransactions', min: 0, max: 1 },
  { key: 75, name: 'DescribeTopicPartitions', min: 0, max: 0 },
];
