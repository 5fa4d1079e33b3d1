/**
 * Why the bytes are no sound record batch. To a Kafka client each is CORRUPT_MESSAGE (2).
 *
 * - `truncated`: the batch, or its header, does not end within the bytes given
 * - `length`: the length field is impossible, or does not end where the bytes given end
 * - `magic`: a format that does not exist
 * - `crc`: the checksum does not match
 * - `number-range`: an offset, timestamp or producer id beyond the safe integers
 * - `offsets`: a negative record count or offset delta, or more records than offsets
 * - `record`: a record's lengths or varints do not fit the bytes or the record count
 * - `compressed-data`: the records cannot be decompressed
 */
export type CorruptBatchReason =
  | 'truncated'
  | 'length'
  | 'magic'
  | 'crc'
  | 'number-range'
  | 'offsets'
  | 'record'
  | 'compressed-data';

/**
 * Which rule a sound batch breaks. In brackets what Kafka answers to a client.
 *
 * - `legacy-magic`: a message set of magic 0 or 1 (INVALID_RECORD, 87)
 * - `too-large`: more bytes than allowed (MESSAGE_TOO_LARGE, 10)
 * - `compression-type`: a codec id that is not assigned (UNSUPPORTED_COMPRESSION_TYPE, 76)
 * - `several-batches`: more than one batch where exactly one is expected (INVALID_RECORD, 87)
 * - `base-offset`: a base offset other than 0 from a client (INVALID_RECORD, 87)
 * - `record-count`: no records, or not as many as offsets (INVALID_RECORD, 87)
 * - `control`: a control batch from a client (INVALID_RECORD, 87)
 * - `sequence`: a producer id without a sequence number (INVALID_RECORD, 87)
 * - `transactional`: transactional without a producer id (INVALID_RECORD, 87)
 * - `timestamp-type`: LogAppendTime from a client (INVALID_TIMESTAMP, 32)
 * - `timestamp`: a record's timestamp outside of the range allowed (INVALID_TIMESTAMP, 32)
 * - `record-offset`: a record's offset is not the base offset plus its index (INVALID_RECORD, 87)
 * - `key`: a record without the key that compaction needs (INVALID_RECORD, 87)
 */
export type InvalidBatchReason =
  | 'legacy-magic'
  | 'too-large'
  | 'compression-type'
  | 'several-batches'
  | 'base-offset'
  | 'record-count'
  | 'control'
  | 'sequence'
  | 'transactional'
  | 'timestamp-type'
  | 'timestamp'
  | 'record-offset'
  | 'key';

/** Bytes that are no sound record batch: damaged, cut, or never one. */
export class CorruptBatchError extends Error {
  readonly code = 'LOGLOFT_CORRUPT_BATCH';
  readonly reason: CorruptBatchReason;

  constructor(reason: CorruptBatchReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CorruptBatchError';
    this.reason = reason;
  }
}

/** Further facts of an {@link InvalidBatchError}. */
export interface InvalidBatchErrorOptions extends ErrorOptions {
  /** Index in its batch of the record that breaks the rule. */
  readonly recordIndex?: number | undefined;
}

/** A sound record batch that breaks a rule of the place where it was to go. */
export class InvalidBatchError extends Error {
  readonly code = 'LOGLOFT_INVALID_BATCH';
  readonly reason: InvalidBatchReason;
  /** Index in its batch of the record that breaks the rule; undefined: the batch itself does. */
  readonly recordIndex: number | undefined;

  constructor(reason: InvalidBatchReason, message: string, options: InvalidBatchErrorOptions = {}) {
    super(message, options);
    this.name = 'InvalidBatchError';
    this.reason = reason;
    this.recordIndex = options.recordIndex;
  }
}

/** A codec that does not exist, or whose optional package is not installed. */
export class UnsupportedCompressionError extends Error {
  readonly code = 'LOGLOFT_UNSUPPORTED_COMPRESSION';
  /** The id in the attributes of the batch, 0 to 7. */
  readonly compressionId: number;

  constructor(compressionId: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnsupportedCompressionError';
    this.compressionId = compressionId;
  }
}

/** Compressed data that would become larger than the bound. */
export class DecompressionLimitError extends Error {
  readonly code = 'LOGLOFT_DECOMPRESSION_LIMIT';
  /** The bound, in bytes. */
  readonly limitBytes: number;

  constructor(limitBytes: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DecompressionLimitError';
    this.limitBytes = limitBytes;
  }
}
