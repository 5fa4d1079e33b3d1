import type { CompressOptions } from './compression/codec.ts';
import { codecOf } from './compression/registry.ts';
import {
  BATCH_ATTRIBUTE,
  BATCH_HEADER_BYTES,
  COMPRESSION,
  type CompressionName,
  NONE,
} from './constants.ts';

/** What a batch is built with. */
export interface BatchBuilderOptions {
  /** Offset of the first record, or, after compaction, less. Default: 0, as clients write. */
  readonly baseOffset?: number | undefined;
  /** Default: -1, not known. */
  readonly partitionLeaderEpoch?: number | undefined;
  /** Default: none. */
  readonly compression?: CompressionName | undefined;
  readonly compressOptions?: CompressOptions | undefined;
  /** Id of an idempotent producer. Default: -1, none. */
  readonly producerId?: number | undefined;
  /** Default: -1. */
  readonly producerEpoch?: number | undefined;
  /** Sequence number of the first record. Default: -1. */
  readonly baseSequence?: number | undefined;
  /** Default: false. */
  readonly isTransactional?: boolean | undefined;
  /** Whether it is a control batch; see `buildTransactionMarker`. Default: false. */
  readonly isControl?: boolean | undefined;
  /** The broker's time, in ms: makes the timestamp type LogAppendTime. Default: CreateTime. */
  readonly logAppendTimeMs?: number | undefined;
  /** Ms from which tombstones of the batch may go (KIP-534). Default: no such time. */
  readonly deleteHorizonMs?: number | undefined;
  /** Bytes to take at first; more are taken as they are needed. Default: 1024. */
  readonly initialBytes?: number | undefined;
  /** Most bytes of the batch, before compression. Default: 2^31 - 1. */
  readonly maxBatchBytes?: number | undefined;
}

/** The greatest int32. */
export const MAX_INT32: number = 2 ** 31 - 1;

/** The attributes of the batch that is to be built. */
export function attributesOf(options: BatchBuilderOptions): number {
  let attributes: number = COMPRESSION[options.compression ?? 'none'];
  if (options.logAppendTimeMs !== undefined) attributes |= BATCH_ATTRIBUTE.logAppendTime;
  if (options.isTransactional === true) attributes |= BATCH_ATTRIBUTE.transactional;
  if (options.isControl === true) attributes |= BATCH_ATTRIBUTE.control;
  if (options.deleteHorizonMs !== undefined) attributes |= BATCH_ATTRIBUTE.deleteHorizon;
  return attributes;
}

/**
 * Checks what can be checked before any record is there.
 *
 * @throws RangeError when an option is out of range
 * @throws UnsupportedCompressionError when the codec cannot write here
 */
export function checkBatchOptions(options: BatchBuilderOptions): void {
  checkInteger('baseOffset', options.baseOffset, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('partitionLeaderEpoch', options.partitionLeaderEpoch, NONE, MAX_INT32);
  checkInteger('producerId', options.producerId, NONE, Number.MAX_SAFE_INTEGER);
  checkInteger('producerEpoch', options.producerEpoch, NONE, 2 ** 15 - 1);
  checkInteger('baseSequence', options.baseSequence, NONE, MAX_INT32);
  checkInteger('logAppendTimeMs', options.logAppendTimeMs, NONE, Number.MAX_SAFE_INTEGER);
  checkInteger('deleteHorizonMs', options.deleteHorizonMs, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('initialBytes', options.initialBytes, BATCH_HEADER_BYTES, MAX_INT32);
  checkInteger('maxBatchBytes', options.maxBatchBytes, BATCH_HEADER_BYTES, MAX_INT32);
  const { compression = 'none' } = options;
  if (!Object.hasOwn(COMPRESSION, compression)) {
    throw new RangeError(
      `compression must be one of ${Object.keys(COMPRESSION).join(', ')}, got ${compression}`,
    );
  }
  const id = COMPRESSION[compression];
  // Found out now, not when all records are in.
  if (id !== COMPRESSION.none) codecOf(id).assertCanCompress();
}

function checkInteger(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined) return;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be an integer from ${least} to ${most}, got ${value}`);
}
