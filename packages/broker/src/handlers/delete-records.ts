import {
  type DeleteRecordsRequestPartition,
  type DeleteRecordsResponse,
  type DeleteRecordsResponsePartition,
  deleteRecordsApi,
  ErrorCode,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import { logErrorCode } from '../log-error-code.ts';
import type { TopicManager } from '../topics/topic-manager.ts';
import { advertisedVersions } from './versions.ts';

/** Stands for the high watermark. */
const UP_TO_HIGH_WATERMARK = -1;

/** What the handler needs. */
export interface DeleteRecordsServices {
  readonly topics: TopicManager;
  /** Makes log starts outlive a crash. */
  readonly checkpoint: () => Promise<void>;
}

/** Moves the start of logs forward; over both tiers. */
export function deleteRecordsHandler(services: DeleteRecordsServices): Handler {
  return defineHandler({
    api: deleteRecordsApi,
    versions: advertisedVersions(deleteRecordsApi),
    async handle(request): Promise<DeleteRecordsResponse> {
      const answered = request.topics.map(async ({ name, partitions }) => ({
        name,
        partitions: await Promise.all(
          partitions.map((partition) => deleteBefore(name, partition, services)),
        ),
      }));
      return { throttleTimeMs: 0, topics: await Promise.all(answered) };
    },
  });
}

async function deleteBefore(
  topic: string,
  { partitionIndex, offset }: DeleteRecordsRequestPartition,
  { topics, checkpoint }: DeleteRecordsServices,
): Promise<DeleteRecordsResponsePartition> {
  const failed = (errorCode: number) => ({ partitionIndex, lowWatermark: -1, errorCode });
  const partition = topics.findPartition(topic, partitionIndex);
  if (partition === undefined) return failed(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  if (topics.byName(topic)?.internal === true) return failed(ErrorCode.INVALID_TOPIC_EXCEPTION);
  const { log } = partition;
  const target = offset === UP_TO_HIGH_WATERMARK ? log.highWatermark : offset;
  if (target < 0 || target > log.highWatermark) return failed(ErrorCode.OFFSET_OUT_OF_RANGE);
  try {
    log.deleteRecordsBefore(target);
    await checkpoint();
    return { partitionIndex, lowWatermark: log.logStartOffset, errorCode: ErrorCode.NONE };
  } catch (error) {
    const errorCode = logErrorCode(error);
    if (errorCode === undefined) throw error;
    return failed(errorCode);
  }
}
