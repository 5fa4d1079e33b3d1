import { join } from 'node:path';
import { LogCorruptError } from '../errors.ts';
import type { LogIdentity } from '../log-state.ts';
import type { LogLogger } from '../logger.ts';
import { PARTITION_METADATA_FILE, parsePartitionMetadata } from '../partition-metadata.ts';
import { DELETE_DIRECTORY_SUFFIX, parsePartitionDirectoryName } from '../segment-files.ts';
import type { FileSystem } from '../store/file-system.ts';

/** What a log directory holds. */
export interface FoundPartitions {
  readonly partitions: readonly LogIdentity[];
  /** Directories of partitions that were deleted and not yet removed. */
  readonly deleted: readonly string[];
}

/**
 * Finds the directories of partitions, by number within their topics. Others, and files, are left
 * alone.
 *
 * @throws LogCorruptError when the directory of a partition does not say its topic's id
 */
export function findPartitions(
  fs: FileSystem,
  directory: string,
  logger: LogLogger,
): FoundPartitions {
  const partitions: LogIdentity[] = [];
  const deleted: string[] = [];
  for (const name of fs.listSync(directory)) {
    const path = join(directory, name);
    if (name.endsWith(DELETE_DIRECTORY_SUFFIX)) {
      deleted.push(path);
      continue;
    }
    const parsed = parsePartitionDirectoryName(name);
    if (parsed === undefined) continue;
    const metadata = fs.readFileSync(join(path, PARTITION_METADATA_FILE));
    if (metadata === undefined) {
      logger.warn(
        `${path} looks like a partition, but has no ${PARTITION_METADATA_FILE}; left alone`,
      );
      continue;
    }
    partitions.push({ ...parsed, topicId: topicIdOf(metadata, path), directory: path });
  }
  partitions.sort((a, b) => compare(a.topic, b.topic) || a.partition - b.partition);
  return { partitions, deleted };
}

function topicIdOf(metadata: Buffer, path: string): string {
  try {
    return parsePartitionMetadata(metadata.toString());
  } catch (error) {
    throw new LogCorruptError(`${path} does not say which topic it belongs to`, { cause: error });
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
