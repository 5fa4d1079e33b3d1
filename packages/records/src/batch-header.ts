// Hot path: nothing here allocates, except to report an error.
import { getInt64, setInt64, viewOf } from './byte-view.ts';
import {
  BATCH_ATTRIBUTE,
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  LOG_OVERHEAD_BYTES,
} from './constants.ts';
import { crc32c } from './crc32c.ts';

/**
 * The header of a record batch, decoded. One object is filled again and again.
 *
 * The 64-bit fields are exact as long as they are safe integers; {@link validateBatch} refuses a
 * batch in which they are not.
 */
export interface BatchHeader {
  /** Offset of the batch's first record. */
  baseOffset: number;
  /** Bytes of the whole batch: its length field and the 12 bytes that it does not count. */
  sizeInBytes: number;
  /** Epoch of the leader that appended the batch; -1 where unknown. */
  partitionLeaderEpoch: number;
  /** Format of the batch. All fields after it mean something only if it is 2. */
  magic: number;
  /** CRC-32C (unsigned) of the bytes from the attributes to the end of the batch. */
  crc: number;
  /** See `BATCH_ATTRIBUTE` for the bits. */
  attributes: number;
  /** Offset of the last record less the base offset; compaction leaves it as it was. */
  lastOffsetDelta: number;
  /** Ms since the epoch of the first record, or the delete horizon if that bit is set; -1 if none. */
  baseTimestamp: number;
  /** Greatest timestamp of the records, in ms since the epoch; -1 if none. */
  maxTimestamp: number;
  /** Id of an idempotent producer, -1 for any other. */
  producerId: number;
  /** Epoch of the producer; without a producer id clients write -1 or 0. */
  producerEpoch: number;
  /** Sequence number of the first record; without a producer id clients write -1 or 0. */
  baseSequence: number;
  /** Number of records; after compaction less than `lastOffsetDelta + 1`, down to 0. */
  recordCount: number;
}

/** A header to be filled by {@link readBatchHeader}. */
export function createBatchHeader(): BatchHeader {
  return {
    baseOffset: 0,
    sizeInBytes: 0,
    partitionLeaderEpoch: 0,
    magic: 0,
    crc: 0,
    attributes: 0,
    lastOffsetDelta: 0,
    baseTimestamp: 0,
    maxTimestamp: 0,
    producerId: 0,
    producerEpoch: 0,
    baseSequence: 0,
    recordCount: 0,
  };
}

/**
 * Decodes the header of the batch at `at` into `into`. Nothing is checked but that it is there whole.
 *
 * @returns false, with `into` left as it was, when fewer than 61 bytes remain from `at` on
 */
export function readBatchHeader(bytes: Buffer, at: number, into: BatchHeader): boolean {
  if (at < 0 || at + BATCH_HEADER_BYTES > bytes.length) return false;
  const view = viewOf(bytes);
  const start = bytes.byteOffset + at;
  into.baseOffset = getInt64(view, start);
  into.sizeInBytes = view.getInt32(start + BATCH_FIELD.batchLength) + LOG_OVERHEAD_BYTES;
  into.partitionLeaderEpoch = view.getInt32(start + BATCH_FIELD.partitionLeaderEpoch);
  into.magic = view.getInt8(start + BATCH_FIELD.magic);
  into.crc = view.getUint32(start + BATCH_FIELD.crc);
  into.attributes = view.getUint16(start + BATCH_FIELD.attributes);
  into.lastOffsetDelta = view.getInt32(start + BATCH_FIELD.lastOffsetDelta);
  into.baseTimestamp = getInt64(view, start + BATCH_FIELD.baseTimestamp);
  into.maxTimestamp = getInt64(view, start + BATCH_FIELD.maxTimestamp);
  into.producerId = getInt64(view, start + BATCH_FIELD.producerId);
  into.producerEpoch = view.getInt16(start + BATCH_FIELD.producerEpoch);
  into.baseSequence = view.getInt32(start + BATCH_FIELD.baseSequence);
  into.recordCount = view.getInt32(start + BATCH_FIELD.recordCount);
  return true;
}

/** Offset of the last record, or, after compaction, the one that it once had. */
export function lastOffsetOf(header: BatchHeader): number {
  return header.baseOffset + header.lastOffsetDelta;
}

/** Offset that the batch after this one has, where nothing is missing between them. */
export function nextOffsetOf(header: BatchHeader): number {
  return header.baseOffset + header.lastOffsetDelta + 1;
}

/** Sequence number of the last record; after 2147483647 comes 0. Without one (below 0): -1. */
export function lastSequenceOf(header: BatchHeader): number {
  if (header.baseSequence < 0) return -1;
  // Overflow past the int32 drops the sign bit, as sequence numbers wrap to 0.
  return (header.baseSequence + header.lastOffsetDelta) & 0x7fffffff;
}

/** The compression id, 0 to 7, of which 0 to 4 are assigned; see `COMPRESSION`. */
export function compressionOf(header: BatchHeader): number {
  return header.attributes & BATCH_ATTRIBUTE.compression;
}

/** Whether the batch belongs to a transaction; true for transaction markers, too. */
export function isTransactional(header: BatchHeader): boolean {
  return (header.attributes & BATCH_ATTRIBUTE.transactional) !== 0;
}

/** Whether the batch holds control records, which no application gets to see. */
export function isControl(header: BatchHeader): boolean {
  return (header.attributes & BATCH_ATTRIBUTE.control) !== 0;
}

/** Whether the broker's time of append (the max timestamp) counts for every record. */
export function isLogAppendTime(header: BatchHeader): boolean {
  return (header.attributes & BATCH_ATTRIBUTE.logAppendTime) !== 0;
}

/** Whether the base timestamp is a delete horizon (KIP-534). */
export function hasDeleteHorizon(header: BatchHeader): boolean {
  return (header.attributes & BATCH_ATTRIBUTE.deleteHorizon) !== 0;
}

/** Whether an idempotent or transactional producer wrote the batch. */
export function hasProducerId(header: BatchHeader): boolean {
  return header.producerId >= 0;
}

/**
 * Writes the base offset of the batch at `at`. The CRC does not cover it and stays right.
 *
 * @param baseOffset a safe integer
 * @throws RangeError when no whole header is at `at`, or the offset is no safe integer
 */
export function patchBaseOffset(bytes: Buffer, at: number, baseOffset: number): void {
  checkHeaderWithin(bytes, at);
  if (!Number.isSafeInteger(baseOffset)) {
    throw new RangeError(`A base offset must be a safe integer, got ${baseOffset}`);
  }
  setInt64(viewOf(bytes), bytes.byteOffset + at, baseOffset);
}

/**
 * Writes the leader epoch of the batch at `at`. The CRC does not cover it and stays right.
 *
 * @param epoch an int32
 * @throws RangeError when no whole header is at `at`, or the epoch is no int32
 */
export function patchLeaderEpoch(bytes: Buffer, at: number, epoch: number): void {
  checkHeaderWithin(bytes, at);
  if ((epoch | 0) !== epoch) throw new RangeError(`A leader epoch must be an int32, got ${epoch}`);
  viewOf(bytes).setInt32(bytes.byteOffset + at + BATCH_FIELD.partitionLeaderEpoch, epoch);
}

/**
 * Gives the batch at `at` the broker's time: sets the timestamp type to LogAppendTime, the max
 * timestamp to `timestampMs`, and computes the CRC anew. Records and base timestamp stay as they
 * are; readers take the max timestamp for every record.
 *
 * @param timestampMs ms since the epoch, a safe integer
 * @throws RangeError when no whole batch is at `at`, or the timestamp is no safe integer
 */
export function applyLogAppendTime(bytes: Buffer, at: number, timestampMs: number): void {
  checkHeaderWithin(bytes, at);
  if (!Number.isSafeInteger(timestampMs)) {
    throw new RangeError(`A timestamp must be a safe integer of ms, got ${timestampMs}`);
  }
  const view = viewOf(bytes);
  const start = bytes.byteOffset + at;
  const size = view.getInt32(start + BATCH_FIELD.batchLength) + LOG_OVERHEAD_BYTES;
  if (size < BATCH_HEADER_BYTES || at + size > bytes.length) {
    throw new RangeError(
      `The batch at byte ${at} declares ${size} bytes, ${bytes.length - at} are there`,
    );
  }
  const attributes = view.getUint16(start + BATCH_FIELD.attributes);
  view.setUint16(start + BATCH_FIELD.attributes, attributes | BATCH_ATTRIBUTE.logAppendTime);
  setInt64(view, start + BATCH_FIELD.maxTimestamp, timestampMs);
  view.setUint32(
    start + BATCH_FIELD.crc,
    crc32c(bytes.subarray(at + BATCH_FIELD.attributes, at + size)),
  );
}

function checkHeaderWithin(bytes: Buffer, at: number): void {
  if (at >= 0 && at + BATCH_HEADER_BYTES <= bytes.length) return;
  throw new RangeError(
    `A batch header takes ${BATCH_HEADER_BYTES} bytes, ${bytes.length - at} are left at byte ${at}`,
  );
}
