import {
  attributesOf,
  type BatchBuilderOptions,
  checkBatchOptions,
  MAX_INT32,
} from './batch-options.ts';
import { setInt64, viewOf } from './byte-view.ts';
import { codecOf } from './compression/registry.ts';
import {
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  COMPRESSION,
  CURRENT_MAGIC,
  LOG_OVERHEAD_BYTES,
  NONE,
} from './constants.ts';
import { crc32c } from './crc32c.ts';
import type { RecordCursor } from './record-cursor.ts';
import type { RecordInput } from './record-input.ts';
import { RecordWriter } from './record-writer.ts';

const DEFAULT_INITIAL_BYTES = 1024;

/**
 * Builds one record batch of magic 2: records are written as they come, header, length and CRC at
 * the end.
 */
export class BatchBuilder {
  readonly #options: BatchBuilderOptions;
  readonly #maxBatchBytes: number;
  readonly #writer: RecordWriter;
  readonly #baseOffset: number;
  #nextOffset: number;
  #baseTimestamp = NONE;
  #maxTimestamp = NONE;
  #count = 0;
  #isBuilt = false;

  /**
   * @throws RangeError when an option is out of range
   * @throws UnsupportedCompressionError when the codec's optional package is not installed
   */
  constructor(options: BatchBuilderOptions = {}) {
    checkBatchOptions(options);
    this.#options = options;
    this.#maxBatchBytes = options.maxBatchBytes ?? MAX_INT32;
    this.#baseOffset = options.baseOffset ?? 0;
    this.#nextOffset = this.#baseOffset;
    this.#baseTimestamp = options.deleteHorizonMs ?? NONE;
    this.#writer = new RecordWriter(
      BATCH_HEADER_BYTES,
      options.initialBytes ?? DEFAULT_INITIAL_BYTES,
    );
  }

  /** Number of records so far. */
  get recordCount(): number {
    return this.#count;
  }

  /** Bytes so far, header included, before compression. */
  get sizeInBytes(): number {
    return this.#writer.length;
  }

  /**
   * Adds a record.
   *
   * @returns false, with nothing changed, when the batch would get larger than `maxBatchBytes`
   * @throws RangeError when the timestamp or the offset is no safe integer, the offset is not
   *   greater than the one before or too far from the first, or the record alone is too large
   */
  append(record: RecordInput): boolean {
    const { offset = this.#nextOffset, timestamp } = record;
    this.#check(offset, timestamp);
    const offsetDelta = offset - this.#baseOffset;
    const timestampDelta = this.#timestampDelta(timestamp);
    const limit = this.#maxBatchBytes;
    const isWritten = this.#writer.write(offsetDelta, timestampDelta, record, limit);
    return this.#accept(isWritten, offset, timestamp);
  }

  /**
   * Adds the record at which a cursor is, with the offset and time that it has: key, value and
   * headers are copied byte by byte, as compaction needs it.
   *
   * @returns false, with nothing changed, when the batch would get larger than `maxBatchBytes`
   * @throws RangeError as {@link append} does
   */
  appendFrom(cursor: RecordCursor): boolean {
    const { offset, timestamp } = cursor;
    this.#check(offset, timestamp);
    const offsetDelta = offset - this.#baseOffset;
    const timestampDelta = this.#timestampDelta(timestamp);
    const limit = this.#maxBatchBytes;
    const isWritten = this.#writer.copy(offsetDelta, timestampDelta, cursor, limit);
    return this.#accept(isWritten, offset, timestamp);
  }

  /**
   * Completes the batch, and gives it away: the builder keeps nothing of it and takes no more.
   *
   * @param lastOffset offset that the batch ends with. Default: that of its last record. Compaction
   *   keeps the one that the batch had, also where no records are left
   * @throws RangeError when `lastOffset` is less than the last record's offset
   * @throws Error when the batch was built before
   */
  build(lastOffset?: number): Buffer {
    this.#assertOpen();
    // An empty batch covers one offset at least: the delta cannot be negative.
    const least = Math.max(this.#nextOffset - 1, this.#baseOffset);
    const last = lastOffset ?? least;
    if (!(Number.isSafeInteger(last) && last >= least && last - this.#baseOffset <= MAX_INT32)) {
      throw new RangeError(`Expected a last offset from ${least} on, got ${lastOffset}`);
    }
    this.#isBuilt = true;
    const batch = this.#compressed();
    this.#writeHeader(batch, last - this.#baseOffset);
    return batch;
  }

  #check(offset: number, timestamp: number): void {
    this.#assertOpen();
    if (!Number.isSafeInteger(timestamp)) {
      throw new RangeError(`A timestamp must be a safe integer of ms, got ${timestamp}`);
    }
    const greatest = this.#baseOffset + MAX_INT32;
    if (!(Number.isSafeInteger(offset) && offset >= this.#nextOffset && offset <= greatest)) {
      throw new RangeError(
        `Expected an offset from ${this.#nextOffset} to ${greatest}, got ${offset}`,
      );
    }
    if (!Number.isSafeInteger(this.#timestampDelta(timestamp))) {
      throw new RangeError(`Timestamp ${timestamp} is too far from the batch's first one`);
    }
  }

  /** The first record sets the time that the others count from, unless there is a delete horizon. */
  #timestampDelta(timestamp: number): number {
    return this.#setsBaseTimestamp ? 0 : timestamp - this.#baseTimestamp;
  }

  get #setsBaseTimestamp(): boolean {
    return this.#count === 0 && this.#options.deleteHorizonMs === undefined;
  }

  #accept(isWritten: boolean, offset: number, timestamp: number): boolean {
    if (!isWritten) {
      if (this.#count > 0) return false;
      throw new RangeError(`A record does not fit into a batch of ${this.#maxBatchBytes} bytes`);
    }
    if (this.#setsBaseTimestamp) this.#baseTimestamp = timestamp;
    this.#maxTimestamp = this.#count === 0 ? timestamp : Math.max(this.#maxTimestamp, timestamp);
    this.#nextOffset = offset + 1;
    this.#count += 1;
    return true;
  }

  #compressed(): Buffer {
    const raw = this.#writer.take();
    const id = COMPRESSION[this.#options.compression ?? 'none'];
    if (id === COMPRESSION.none) return raw;
    const records = raw.subarray(BATCH_HEADER_BYTES);
    const compressed = codecOf(id).compress(records, this.#options.compressOptions);
    const batch = Buffer.allocUnsafe(BATCH_HEADER_BYTES + compressed.length);
    batch.set(compressed, BATCH_HEADER_BYTES);
    return batch;
  }

  #writeHeader(batch: Buffer, lastOffsetDelta: number): void {
    const options = this.#options;
    const view = viewOf(batch);
    const start = batch.byteOffset;
    setInt64(view, start, this.#baseOffset);
    view.setInt32(start + BATCH_FIELD.batchLength, batch.length - LOG_OVERHEAD_BYTES);
    view.setInt32(start + BATCH_FIELD.partitionLeaderEpoch, options.partitionLeaderEpoch ?? NONE);
    view.setInt8(start + BATCH_FIELD.magic, CURRENT_MAGIC);
    view.setUint16(start + BATCH_FIELD.attributes, attributesOf(options));
    view.setInt32(start + BATCH_FIELD.lastOffsetDelta, lastOffsetDelta);
    setInt64(view, start + BATCH_FIELD.baseTimestamp, this.#baseTimestamp);
    const maxTimestamp = options.logAppendTimeMs ?? this.#maxTimestamp;
    setInt64(view, start + BATCH_FIELD.maxTimestamp, maxTimestamp);
    setInt64(view, start + BATCH_FIELD.producerId, options.producerId ?? NONE);
    view.setInt16(start + BATCH_FIELD.producerEpoch, options.producerEpoch ?? NONE);
    view.setInt32(start + BATCH_FIELD.baseSequence, options.baseSequence ?? NONE);
    view.setInt32(start + BATCH_FIELD.recordCount, this.#count);
    view.setUint32(start + BATCH_FIELD.crc, crc32c(batch.subarray(BATCH_FIELD.attributes)));
  }

  #assertOpen(): void {
    if (this.#isBuilt) throw new Error('This batch was built; start another BatchBuilder');
  }
}
