/** Bytes of the fixed header of a record batch of magic 2; the records follow it. */
export const BATCH_HEADER_BYTES = 61;

/** Bytes before the part that a batch's length counts: the base offset (8) and the length (4). */
export const LOG_OVERHEAD_BYTES = 12;

/** The only record format that is read and written: batches with producer ids and headers. */
export const CURRENT_MAGIC = 2;

/** What stands for "no producer id", "no timestamp" and "no offset" in a header field. */
export const NONE = -1;

/** Where each field of a batch of magic 2 starts, in bytes from the start of the batch. */
export const BATCH_FIELD = {
  baseOffset: 0,
  batchLength: 8,
  partitionLeaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  recordCount: 57,
} as const;

/** The bits of a batch's attributes. */
export const BATCH_ATTRIBUTE = {
  /** Mask of the compression id, see `COMPRESSION`. */
  compression: 0x07,
  /** Set: every record has the batch's max timestamp, which the broker wrote (LogAppendTime). */
  logAppendTime: 0x08,
  /** Set: the batch belongs to a transaction. */
  transactional: 0x10,
  /** Set: the batch holds control records such as transaction markers, not data. */
  control: 0x20,
  /** Set: the base timestamp is the time from which tombstones may be dropped (KIP-534). */
  deleteHorizon: 0x40,
} as const;

/** The ids of the codecs in the attributes of a batch. */
export const COMPRESSION = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;

/** Name of a codec, as in Kafka's `compression.type`. */
export type CompressionName = keyof typeof COMPRESSION;
