import { ByteReader } from '@logloft/protocol';

/** The states of a segment in the remote tier, by their ids (KIP-405). */
const STATES = [
  'COPY_SEGMENT_STARTED',
  'COPY_SEGMENT_FINISHED',
  'DELETE_SEGMENT_STARTED',
  'DELETE_SEGMENT_FINISHED',
] as const;

/** State of a segment in the remote tier. */
export type SegmentState = (typeof STATES)[number];

/** A record of `__remote_log_metadata` that tells of a segment. */
export interface SegmentEvent {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly segmentId: string;
  readonly state: SegmentState;
  /** Only in the first event of a segment. */
  readonly added: SegmentExtent | undefined;
}

/** Which records a segment holds. */
export interface SegmentExtent {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly sizeInBytes: number;
}

const FRAME_VERSION = 1;
/** Api keys: 0 adds a segment, 1 updates it, 2 tells of a partition. */
const API_SEGMENT_UPDATE = 1;
const API_PARTITION_DELETE = 2;
const EPOCH_BYTES = 13;

/**
 * Reads a record's value as Kafka writes it. Of its own accord, not by the code of the broker: the
 * schemas are what another broker on the same bucket goes by.
 *
 * @returns undefined for a record that tells of a partition
 * @throws Error for a record that is none of Kafka's
 */
export function readSegmentEvent(value: Buffer): SegmentEvent | undefined {
  const reader = new ByteReader(value);
  const frame = reader.readUnsignedVarint();
  const api = reader.readUnsignedVarint();
  const version = reader.readUnsignedVarint();
  if (frame !== FRAME_VERSION || version !== 0 || api > API_PARTITION_DELETE) {
    throw new Error(`unknown metadata record: frame ${frame}, api ${api}, version ${version}`);
  }
  if (api === API_PARTITION_DELETE) return undefined;
  const topic = reader.readNullableCompactString() ?? '';
  const topicId = reader.readUuid();
  const partition = reader.readInt32();
  skipTags(reader);
  const segmentId = reader.readUuid();
  skipTags(reader);
  const added = api === API_SEGMENT_UPDATE ? skipUpdate(reader) : readExtent(reader);
  reader.readNullableCompactBytes();
  const stateId = reader.readInt8();
  skipTags(reader);
  const state = STATES[stateId];
  if (state === undefined || reader.remaining > 0) {
    throw new Error(`state ${stateId}, ${reader.remaining} bytes after a metadata record`);
  }
  return { topic, topicId, partition, segmentId, state, added };
}

function readExtent(reader: ByteReader): SegmentExtent {
  const startOffset = reader.readInt64();
  const endOffset = reader.readInt64();
  reader.readInt32();
  reader.readInt64();
  reader.readInt64();
  const epochs = reader.readCompactArrayCount(EPOCH_BYTES);
  for (let index = 0; index < epochs; index += 1) {
    reader.readInt32();
    reader.readInt64();
    skipTags(reader);
  }
  return { startOffset, endOffset, sizeInBytes: reader.readInt32() };
}

/** Broker id and event time. */
function skipUpdate(reader: ByteReader): undefined {
  reader.readInt32();
  reader.readInt64();
}

function skipTags(reader: ByteReader): void {
  const count = reader.readUnsignedVarint();
  for (let index = 0; index < count; index += 1) {
    reader.readUnsignedVarint();
    reader.skip(reader.readUnsignedVarint());
  }
}
