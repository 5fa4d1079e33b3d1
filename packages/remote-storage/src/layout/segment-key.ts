import { RemoteStorageError } from '../errors.ts';
import type { RemoteLogSegmentId, RemoteLogSegmentMetadata } from '../segment-metadata.ts';

const TOPIC = /^[a-zA-Z0-9._-]{1,249}$/;
const UUID = /^[a-zA-Z0-9_-]{22}$/;
const MAIN_PATH =
  /^(?<topic>[a-zA-Z0-9._-]+)-(?<topicId>[a-zA-Z0-9_-]{22})\/(?<partition>0|[1-9]\d{0,9})\/(?<offset>\d{20})-(?<id>[a-zA-Z0-9_-]{22})\.(?<suffix>log|indexes|rsm-manifest)$/;

/** The three objects of a segment; the suffixes are those of Aiven's plugin. */
export type SegmentObjectSuffix = 'log' | 'indexes' | 'rsm-manifest';

/** Keys of the objects of one segment. */
export interface SegmentKeys {
  readonly log: string;
  readonly indexes: string;
  readonly manifest: string;
}

/** What the key of an object says. */
export interface ParsedSegmentKey {
  readonly segmentId: RemoteLogSegmentId;
  readonly startOffset: number;
  readonly suffix: SegmentObjectSuffix;
}

/**
 * The part of the keys that the three objects share, without prefix and suffix:
 * `<topic>-<topic id>/<partition>/<start offset, 20 digits>-<segment id>`.
 *
 * @throws RemoteStorageError `invalid-configuration` when a name could not be a part of a key
 */
export function segmentMainPath(
  segment: Pick<RemoteLogSegmentMetadata, 'remoteLogSegmentId' | 'startOffset'>,
): string {
  const { topicIdPartition, id } = segment.remoteLogSegmentId;
  const { topic, topicId, partition } = topicIdPartition;
  const { startOffset } = segment;
  require(TOPIC.test(topic) && topic !== '.' && topic !== '..', 'topic name', topic);
  require(UUID.test(topicId), 'topic id', topicId);
  require(UUID.test(id), 'segment id', id);
  require(isCount(partition), 'partition', partition);
  require(isCount(startOffset), 'start offset', startOffset);
  return `${topic}-${topicId}/${partition}/${String(startOffset).padStart(20, '0')}-${id}`;
}

/** The keys below a prefix, which is glued on as it is: a `/` after it is part of it. */
export function segmentKeys(prefix: string, mainPath: string): SegmentKeys {
  const key = (suffix: SegmentObjectSuffix): string => `${prefix}${mainPath}.${suffix}`;
  return { log: key('log'), indexes: key('indexes'), manifest: key('rsm-manifest') };
}

/** The inverse, for whoever lists a bucket; `undefined` for keys that are not of this layout. */
export function parseSegmentKey(prefix: string, key: string): ParsedSegmentKey | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const groups = MAIN_PATH.exec(key.slice(prefix.length))?.groups;
  if (groups === undefined) return undefined;
  const { topic = '', topicId = '', partition, offset, id = '', suffix } = groups;
  const startOffset = Number(offset);
  if (!isSuffix(suffix) || !Number.isSafeInteger(startOffset) || topic.length > 249) {
    return undefined;
  }
  const topicIdPartition = { topicId, topic, partition: Number(partition) };
  return { segmentId: { topicIdPartition, id }, startOffset, suffix };
}

function isSuffix(value: string | undefined): value is SegmentObjectSuffix {
  return value === 'log' || value === 'indexes' || value === 'rsm-manifest';
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function require(holds: boolean, what: string, value: unknown): void {
  if (holds) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `${JSON.stringify(value)} is no ${what} that an object can be named by`,
  );
}
