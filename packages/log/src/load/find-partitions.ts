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
 * alone; so is a partition whose `partition.metadata` is not whole, as a power cut leaves it before
 * the first flush: whoever knows the topic makes the partition, and finds what was saved.
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
    if (name.endsWith(DELETE_DIRECTORY_SUFFIX)) deleted.push(path);
    const parsed = parsePartitionDirectoryName(name);
    if (parsed === undefined) continue;
    const topicId = readTopicId(fs, path);
    if (topicId !== undefined) partitions.push({ ...parsed, topicId, directory: path });
    else logger.warn(`${path} does not say which topic it belongs to; it is left alone`);
  }
  partitions.sort((a, b) => compare(a.topic, b.topic) || a.partition - b.partition);
  return { partitions, deleted };
}

/** The topic id in the directory of a partition; undefined where it is not, or not whole. */
export function readTopicId(fs: FileSystem, directory: string): string | undefined {
  const metadata = fs.readFileSync(join(directory, PARTITION_METADATA_FILE));
  if (metadata === undefined) return undefined;
  try {
    return parsePartitionMetadata(metadata.toString());
  } catch (error) {
    if (error instanceof LogCorruptError) return undefined;
    throw error;
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
