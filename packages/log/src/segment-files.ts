/** What the files of a segment are called after their 20 digits. */
export type SegmentFileKind = 'log' | 'index' | 'timeindex' | 'txnindex' | 'snapshot';

/** Added to a file that is to be unlinked. */
export const DELETED_SUFFIX = '.deleted';
/** Added to the directory of a partition that is to be removed. */
export const DELETE_DIRECTORY_SUFFIX = '-delete';

const FILE_NAME = /^(\d{20})\.(log|index|timeindex|txnindex|snapshot)$/;
const DIRECTORY_NAME = /^(.+)-(0|[1-9]\d{0,9})$/;
const MAX_NAME_LENGTH = 255;
const LEGAL_TOPIC = /^[a-zA-Z0-9._-]{1,249}$/;

/** A file name of a segment, taken apart. */
export interface SegmentFileName {
  readonly offset: number;
  readonly kind: SegmentFileKind;
}

/** `00000000000000368769.log`: the offset in 20 digits. */
export function segmentFileName(offset: number, kind: SegmentFileKind): string {
  return `${offset.toString().padStart(20, '0')}.${kind}`;
}

/** Takes such a name apart; undefined for any other name, also for an offset beyond 2^53. */
export function parseSegmentFileName(name: string): SegmentFileName | undefined {
  const [, digits, kind] = FILE_NAME.exec(name) ?? [];
  if (digits === undefined || !isKind(kind)) return undefined;
  const offset = Number(digits);
  return Number.isSafeInteger(offset) ? { offset, kind } : undefined;
}

function isKind(kind: string | undefined): kind is SegmentFileKind {
  return kind !== undefined;
}

/** A partition's topic and number. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Whether Kafka allows the topic name: 1 to 249 of `[a-zA-Z0-9._-]`, and neither `.` nor `..`. */
export function isLegalTopicName(topic: string): boolean {
  return LEGAL_TOPIC.test(topic) && topic !== '.' && topic !== '..';
}

/** `topic-partition`, the name of the directory. */
export function partitionDirectoryName(topic: string, partition: number): string {
  return `${topic}-${partition}`;
}

/** Takes the name of a directory apart; undefined where it is no partition's. */
export function parsePartitionDirectoryName(name: string): TopicPartition | undefined {
  const [, topic, digits] = DIRECTORY_NAME.exec(name) ?? [];
  if (topic === undefined || digits === undefined || !isLegalTopicName(topic)) return undefined;
  const partition = Number(digits);
  return partition <= 2 ** 31 - 1 ? { topic, partition } : undefined;
}

/**
 * `topic-partition.<unique id>-delete`, the topic cut so that the name fits a directory entry.
 *
 * @param uniqueId 32 hexadecimal digits
 */
export function deletedDirectoryName(topic: string, partition: number, uniqueId: string): string {
  const suffix = `-${partition}.${uniqueId}${DELETE_DIRECTORY_SUFFIX}`;
  return `${topic.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`;
}
