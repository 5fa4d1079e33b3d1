import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int16, int32, int64, nullable, string } from '../schema/field-builders.ts';
import { type NamedTopicPartitions, namedTopicPartitions } from './shared-structs.ts';

/** Asks how large logs are. Null topics: all. */
export interface DescribeLogDirsRequest {
  topics: NamedTopicPartitions[] | null;
}

/** The log of one partition. */
export interface DescribeLogDirsResponsePartition {
  partitionIndex: number;
  /** In bytes. */
  partitionSize: number;
  offsetLag: number;
  isFutureKey: boolean;
}

/** The logs of one topic. */
export interface DescribeLogDirsResponseTopic {
  name: string;
  partitions: DescribeLogDirsResponsePartition[];
}

/** A directory and the logs in it. */
export interface DescribeLogDirsResponseResult {
  errorCode: number;
  logDir: string;
  topics: DescribeLogDirsResponseTopic[];
  /** Of the volume, in bytes; -1: unknown. */
  totalBytes: number;
  usableBytes: number;
}

/** The directories. */
export interface DescribeLogDirsResponse {
  throttleTimeMs: number;
  errorCode: number;
  results: DescribeLogDirsResponseResult[];
}

/** DescribeLogDirs (35). */
export const describeLogDirsApi: ApiDescription<DescribeLogDirsRequest, DescribeLogDirsResponse> =
  defineApi<DescribeLogDirsRequest, DescribeLogDirsResponse>({
    key: 35,
    name: 'DescribeLogDirs',
    versions: [0, 4],
    flexibleFrom: 2,
    request: { topics: nullable(array(namedTopicPartitions)) },
    response: {
      throttleTimeMs: int32(),
      errorCode: int16({ from: 3 }),
      results: array(
        struct<DescribeLogDirsResponseResult>({
          errorCode: int16(),
          logDir: string(),
          topics: array(
            struct<DescribeLogDirsResponseTopic>({
              name: string(),
              partitions: array(
                struct<DescribeLogDirsResponsePartition>({
                  partitionIndex: int32(),
                  partitionSize: int64(),
                  offsetLag: int64(),
                  isFutureKey: bool(),
                }),
              ),
            }),
          ),
          totalBytes: int64({ from: 4, default: -1 }),
          usableBytes: int64({ from: 4, default: -1 }),
        }),
      ),
    },
  });
