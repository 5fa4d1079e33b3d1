// Hot path: one cursor serves any number of batches; a record costs no object until its key, value
// or headers are asked for.
import {
  type BatchHeader,
  compressionOf,
  createBatchHeader,
  isLogAppendTime,
  readBatchHeader,
} from './batch-header.ts';
import { codecOf } from './compression/registry.ts';
import { BATCH_HEADER_BYTES, COMPRESSION } from './constants.ts';
import { CorruptBatchError } from './errors.ts';
import { checkMagic } from './magic.ts';
import { VarintReader } from './varint.ts';

/** Most bytes that the records of one batch may have once decompressed: 64 MiB. */
export const DEFAULT_MAX_DECOMPRESSED_BYTES: number = 64 * 1024 * 1024;

/** How {@link RecordCursor.open} reads. */
export interface ReadRecordsOptions {
  /** Most bytes of the records, decompressed. Default: 64 MiB. */
  readonly maxDecompressedBytes?: number | undefined;
}

/** A header of a record. Several may have the same key. */
export interface RecordHeader {
  readonly key: string;
  /** Null and empty are not the same. */
  readonly value: Buffer | null;
}

const NO_OPTIONS: ReadRecordsOptions = {};
const NO_BYTES = Buffer.alloc(0);
const NULL_LENGTH = -1;

/**
 * Goes over the records of a batch, one at a time. All lengths are checked against the batch before
 * they are believed.
 *
 * Keys, values and header values are views of the batch, or of what it was decompressed to, not
 * copies: they are good for as long as those bytes are.
 */
export class RecordCursor {
  readonly #reader = new VarintReader();
  #bytes: Buffer = NO_BYTES;
  #index = -1;
  #count = 0;
  #keyStart = 0;
  #keyLength = NULL_LENGTH;
  #valueStart = 0;
  #valueLength = NULL_LENGTH;
  #headersStart = 0;
  #headerCount = 0;
  #recordEnd = 0;

  /** Header of the batch that was opened. */
  readonly batch: BatchHeader = createBatchHeader();
  /** Offset of the record. */
  offset = -1;
  /** Ms since the epoch: the record's own time, or, with LogAppendTime, the batch's. */
  timestamp = -1;
  /** Attributes of the record, of which none is in use. */
  attributes = 0;

  /**
   * Goes before the first record of the batch at `at`, and decompresses the batch if need be. The
   * checksum is not verified; see `validateBatch` for that.
   *
   * @throws CorruptBatchError when no whole batch is there, or it does not decompress
   * @throws InvalidBatchError with reason `legacy-magic` for a message set of magic 0 or 1
   * @throws UnsupportedCompressionError when its compression id is not assigned
   * @throws DecompressionLimitError when it becomes too large
   */
  open(bytes: Buffer, at = 0, options: ReadRecordsOptions = NO_OPTIONS): void {
    const { batch } = this;
    // Until it is open, and if it cannot be opened, the cursor has no records.
    this.#index = -1;
    this.#stop();
    if (!readBatchHeader(bytes, at, batch)) throw truncated(at, BATCH_HEADER_BYTES, bytes);
    checkMagic(batch.magic, at);
    const size = batch.sizeInBytes;
    if (size < BATCH_HEADER_BYTES || at + size > bytes.length) throw truncated(at, size, bytes);
    this.#openRecords(bytes, at, options);
    this.#count = batch.recordCount;
  }

  #stop(): void {
    this.#count = 0;
    this.#reader.at = this.#reader.end;
  }

  #openRecords(bytes: Buffer, at: number, options: ReadRecordsOptions): void {
    const end = at + this.batch.sizeInBytes;
    const compression = compressionOf(this.batch);
    if (compression === COMPRESSION.none) {
      this.#bytes = bytes;
      this.#reader.reset(bytes, at + BATCH_HEADER_BYTES, end);
      return;
    }
    const limit = options.maxDecompressedBytes ?? DEFAULT_MAX_DECOMPRESSED_BYTES;
    if (!(Number.isSafeInteger(limit) && limit >= 0)) {
      throw new RangeError(`maxDecompressedBytes must be an integer from 0 on, got ${limit}`);
    }
    const compressed = bytes.subarray(at + BATCH_HEADER_BYTES, end);
    this.#bytes = codecOf(compression).decompress(compressed, limit);
    this.#reader.reset(this.#bytes, 0, this.#bytes.length);
  }

  /**
   * Goes to the next record.
   *
   * @returns false after the last one
   * @throws CorruptBatchError with reason `record` or `number-range` when the bytes are not the
   *   records that the batch declares; the cursor then has no further ones
   */
  next(): boolean {
    if (this.#index + 1 >= this.#count) return this.#finish();
    try {
      this.#readRecord();
    } catch (error) {
      this.#stop();
      throw error;
    }
    this.#index += 1;
    return true;
  }

  /** Index of the record in its batch, from 0; -1 before the first one. */
  get index(): number {
    return this.#index;
  }

  /** The key; null is not the same as empty. */
  get key(): Buffer | null {
    if (this.#keyLength === NULL_LENGTH) return null;
    return this.#bytes.subarray(this.#keyStart, this.#keyStart + this.#keyLength);
  }

  /** The value; null, a tombstone where the topic is compacted, is not the same as empty. */
  get value(): Buffer | null {
    if (this.#valueLength === NULL_LENGTH) return null;
    return this.#bytes.subarray(this.#valueStart, this.#valueStart + this.#valueLength);
  }

  /** Whether the record has a key, which may be empty. */
  get hasKey(): boolean {
    return this.#keyLength !== NULL_LENGTH;
  }

  /** Whether the record has a value, which may be empty; without one it is a tombstone. */
  get hasValue(): boolean {
    return this.#valueLength !== NULL_LENGTH;
  }

  /** Number of headers. */
  get headerCount(): number {
    return this.#headerCount;
  }

  /** The headers, in their order. */
  headers(): RecordHeader[] {
    const headers: RecordHeader[] = [];
    if (this.#headerCount === 0) return headers;
    const reader = new VarintReader();
    reader.reset(this.#bytes, this.#headersStart, this.#recordEnd);
    // The count comes first.
    reader.varint();
    for (let i = 0; i < this.#headerCount; i += 1) {
      const key = this.#slice(reader, reader.varint());
      const valueLength = reader.varint();
      headers.push({
        key: key.toString('utf8'),
        value: valueLength === NULL_LENGTH ? null : this.#slice(reader, valueLength),
      });
    }
    return headers;
  }

  /**
   * The headers as they are encoded, their count first: for those who copy records, and must not
   * change a key that is no UTF-8.
   */
  get encodedHeaders(): Buffer {
    return this.#bytes.subarray(this.#headersStart, this.#recordEnd);
  }

  #slice(reader: VarintReader, length: number): Buffer {
    const start = reader.at;
    reader.at = start + length;
    return this.#bytes.subarray(start, start + length);
  }

  #finish(): boolean {
    const left = this.#reader.end - this.#reader.at;
    if (left === 0) return false;
    this.#stop();
    throw new CorruptBatchError(
      'record',
      `After ${this.batch.recordCount} records ${left} bytes are left`,
    );
  }

  #readRecord(): void {
    const reader = this.#reader;
    const { batch } = this;
    const batchEnd = reader.end;
    const length = reader.varint();
    const end = reader.at + length;
    if (length < 0 || end > batchEnd) throw this.#malformed(`a length of ${length} bytes`);
    // No number of this record may be read from the next one.
    reader.end = end;
    this.attributes = reader.int8();
    const timestampDelta = reader.varlong();
    this.timestamp = isLogAppendTime(batch)
      ? batch.maxTimestamp
      : batch.baseTimestamp + timestampDelta;
    this.offset = batch.baseOffset + reader.varint();
    this.#keyLength = this.#nullableLength();
    this.#keyStart = this.#skip(this.#keyLength);
    this.#valueLength = this.#nullableLength();
    this.#valueStart = this.#skip(this.#valueLength);
    this.#headersStart = reader.at;
    this.#readHeaders();
    if (reader.at !== end) throw this.#malformed(`${end - reader.at} bytes after its headers`);
    if (!(Number.isSafeInteger(this.timestamp) && Number.isSafeInteger(this.offset))) {
      throw new CorruptBatchError('number-range', 'A record has an offset or a time beyond 2^53');
    }
    this.#recordEnd = end;
    reader.end = batchEnd;
  }

  #readHeaders(): void {
    const count = this.#reader.varint();
    // Each takes two bytes at least.
    if (count < 0 || count * 2 > this.#reader.end - this.#reader.at) {
      throw this.#malformed(`${count} headers`);
    }
    this.#headerCount = count;
    for (let i = 0; i < count; i += 1) {
      const keyLength = this.#reader.varint();
      if (keyLength < 0) throw this.#malformed('a header without a key');
      this.#skip(keyLength);
      this.#skip(this.#nullableLength());
    }
  }

  #nullableLength(): number {
    const length = this.#reader.varint();
    if (length < NULL_LENGTH) throw this.#malformed(`a field of ${length} bytes`);
    return length;
  }

  /** Passes over the bytes of a field, and returns where they start. */
  #skip(length: number): number {
    const reader = this.#reader;
    const start = reader.at;
    if (length > reader.end - start) throw this.#malformed(`a field of ${length} bytes`);
    if (length > 0) reader.at = start + length;
    return start;
  }

  #malformed(found: string): CorruptBatchError {
    return new CorruptBatchError('record', `Record ${this.#index + 1} of its batch has ${found}`);
  }
}

function truncated(at: number, size: number, bytes: Buffer): CorruptBatchError {
  return new CorruptBatchError(
    'truncated',
    `Expected a batch of ${size} bytes at byte ${at}, ${Math.max(0, bytes.length - at)} are left`,
  );
}
