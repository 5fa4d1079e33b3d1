// Hot path: once for every batch produced. No record is decoded and nothing is copied.
import type { AppendResult } from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import {
  type BatchHeader,
  COMPRESSION,
  compressionOf,
  createBatchHeader,
  isTransactional,
  readBatchHeader,
  validateBatch,
} from '@logloft/records';
import type { Partition } from '../topics/partition.ts';
import { type AppendRefusal, refusalOf } from './append-error.ts';

/** First version of Produce that may carry zstd (KIP-110). */
const FIRST_ZSTD_VERSION = 7;
const ALL_REPLICAS = -1;
const NO_TIMESTAMP = -1;

/** How the request wants its batches appended. */
export interface ProduceOptions {
  readonly apiVersion: number;
  readonly acks: number;
  /** Wall-clock ms of the request. */
  readonly nowMs: number;
}

// Filled anew for each batch; appending is synchronous.
const header: BatchHeader = createBatchHeader();

/**
 * Checks a client's batch and appends it. The bytes are patched in place and must stay unchanged until
 * the result's `written` has settled.
 */
export function producePartition(
  partition: Partition,
  records: Buffer | null,
  options: ProduceOptions,
): AppendResult | AppendRefusal {
  const { log, leaderEpoch, settings } = partition;
  if (options.acks === ALL_REPLICAS && settings.minInsyncReplicas > 1) {
    return {
      errorCode: ErrorCode.NOT_ENOUGH_REPLICAS,
      message: `min.insync.replicas is ${settings.minInsyncReplicas}, but there is one broker.`,
    };
  }
  if (records === null || records.length === 0) {
    return {
      errorCode: ErrorCode.INVALID_RECORD,
      message: 'Expected exactly one record batch, found none.',
    };
  }
  try {
    validateBatch(records, 0, records.length, header, { maxBatchBytes: settings.maxMessageBytes });
    return refuseByPolicy(partition, options) ?? log.append(records, { leaderEpoch });
  } catch (error) {
    return refusalOf(error);
  }
}

/** What a sound batch can still be refused for. */
function refuseByPolicy(partition: Partition, options: ProduceOptions): AppendRefusal | undefined {
  if (compressionOf(header) === COMPRESSION.zstd && options.apiVersion < FIRST_ZSTD_VERSION) {
    return {
      errorCode: ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
      message: `zstd needs Produce version ${FIRST_ZSTD_VERSION}, the request has ${options.apiVersion}.`,
    };
  }
  const { log, settings } = partition;
  const { maxTimestamp } = header;
  // A topic that is stamped by the broker takes any time, and a batch may have none.
  if (log.config.messageTimestampType === 'LogAppendTime' || maxTimestamp === NO_TIMESTAMP) {
    return undefined;
  }
  const ageMs = options.nowMs - maxTimestamp;
  // Only the largest timestamp is checked: the records are not decoded for it.
  if (ageMs > settings.timestampBeforeMaxMs || -ageMs > settings.timestampAfterMaxMs) {
    return {
      errorCode: ErrorCode.INVALID_TIMESTAMP,
      message: `The largest timestamp ${maxTimestamp} is too far from the broker's time ${options.nowMs} (message.timestamp.before.max.ms, message.timestamp.after.max.ms).`,
    };
  }
  return undefined;
}

/** Whether a batch says that it belongs to a transaction. */
export function claimsTransaction(records: Buffer | null): boolean {
  return records !== null && readBatchHeader(records, 0, header) && isTransactional(header);
}

/** Tells a refusal from a result. */
export function isRefusal(outcome: AppendResult | AppendRefusal): outcome is AppendRefusal {
  return 'errorCode' in outcome;
}
