// Hot path: runs once for every batch produced. One subarray for the checksum, nothing per record.
import {
  type BatchHeader,
  compressionOf,
  hasProducerId,
  isControl,
  isLogAppendTime,
  isTransactional,
  readBatchHeader,
} from './batch-header.ts';
import {
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  COMPRESSION,
  CURRENT_MAGIC,
  LOG_OVERHEAD_BYTES,
} from './constants.ts';
import { crc32c } from './crc32c.ts';
import { CorruptBatchError, InvalidBatchError } from './errors.ts';
import { checkSizeAndMagic } from './magic.ts';

/** What {@link validateBatch} demands. */
export interface ValidateBatchOptions {
  /**
   * Who wrote the batch. `client` (default): the rules for produced batches hold as well, and the
   * batch must end at `end`. `log`: it comes from a log, where markers, gaps left by compaction,
   * empty batches and LogAppendTime are in order, and other batches may follow.
   */
  readonly origin?: 'client' | 'log' | undefined;
  /** Most bytes of the batch (`max.message.bytes`). Default: no bound but `end`. */
  readonly maxBatchBytes?: number | undefined;
  /** Whether the checksum is verified. Default: true. */
  readonly verifyCrc?: boolean | undefined;
}

const NO_OPTIONS: ValidateBatchOptions = {};

/**
 * Checks the batch that starts at `at`, without decoding its records, and fills `header`.
 *
 * @param end where the bytes that may belong to the batch end
 * @param header filled from the batch; what it holds after an error is not defined
 * @throws CorruptBatchError when the bytes are no sound batch
 * @throws InvalidBatchError when the batch is sound and breaks a rule; `reason` says which one
 */
export function validateBatch(
  bytes: Buffer,
  at: number,
  end: number,
  header: BatchHeader,
  options: ValidateBatchOptions = NO_OPTIONS,
): void {
  const fromClient = options.origin !== 'log';
  const available = Math.min(end, bytes.length) - at;
  if (available < BATCH_HEADER_BYTES || !readBatchHeader(bytes, at, header)) {
    throw headerMissing(bytes, at, available);
  }
  checkSizeAndMagic(header.sizeInBytes, header.magic, at);
  checkSize(header, at, available, options);
  if (fromClient && header.sizeInBytes !== available) throw trailingBytes(bytes, at, header, end);
  if (options.verifyCrc !== false) checkCrc(bytes, at, header);
  checkNumbers(header, at);
  if (fromClient) checkClientRules(header);
  else checkOffsets(header, at);
}

function headerMissing(bytes: Buffer, at: number, available: number): Error {
  // The messages of old clients may be shorter than a header, and deserve the fitting answer.
  if (available > BATCH_FIELD.magic) {
    const size = bytes.readInt32BE(at + BATCH_FIELD.batchLength) + LOG_OVERHEAD_BYTES;
    checkSizeAndMagic(size, bytes.readInt8(at + BATCH_FIELD.magic), at);
  }
  return new CorruptBatchError(
    'truncated',
    `Expected a batch header of ${BATCH_HEADER_BYTES} bytes at byte ${at}, found ${Math.max(0, available)}`,
  );
}

function checkSize(
  header: BatchHeader,
  at: number,
  available: number,
  options: ValidateBatchOptions,
): void {
  const size = header.sizeInBytes;
  if (options.maxBatchBytes !== undefined && size > options.maxBatchBytes) {
    throw new InvalidBatchError(
      'too-large',
      `The batch at byte ${at} has ${size} bytes, ${options.maxBatchBytes} are allowed`,
    );
  }
  if (size > available) {
    throw new CorruptBatchError(
      'truncated',
      `The batch at byte ${at} declares ${size} bytes, ${available} are there`,
    );
  }
}

/** What a client sent after its batch: a second one, or bytes that the length does not cover. */
function trailingBytes(bytes: Buffer, at: number, header: BatchHeader, end: number): Error {
  const next = at + header.sizeInBytes;
  const rest = Math.min(end, bytes.length) - next;
  if (rest >= BATCH_HEADER_BYTES && bytes[next + BATCH_FIELD.magic] === CURRENT_MAGIC) {
    return new InvalidBatchError(
      'several-batches',
      `Expected exactly one batch at byte ${at}, another one follows at byte ${next}`,
    );
  }
  return new CorruptBatchError(
    'length',
    `The batch at byte ${at} ends at byte ${next}, and ${rest} more bytes follow`,
  );
}

function checkCrc(bytes: Buffer, at: number, header: BatchHeader): void {
  const covered = bytes.subarray(at + BATCH_FIELD.attributes, at + header.sizeInBytes);
  const crc = crc32c(covered);
  if (crc === header.crc) return;
  throw new CorruptBatchError(
    'crc',
    `The batch at byte ${at} has CRC ${hex(header.crc)}, its bytes have ${hex(crc)}`,
  );
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

function checkNumbers(header: BatchHeader, at: number): void {
  if (
    !Number.isSafeInteger(header.baseOffset + header.lastOffsetDelta) ||
    !Number.isSafeInteger(header.baseOffset) ||
    !Number.isSafeInteger(header.baseTimestamp) ||
    !Number.isSafeInteger(header.maxTimestamp) ||
    !Number.isSafeInteger(header.producerId)
  ) {
    throw new CorruptBatchError(
      'number-range',
      `The batch at byte ${at} has an offset, a timestamp or a producer id beyond 2^53`,
    );
  }
}

/** What must hold in a log; of a client more is demanded, and refused as a rule that it broke. */
function checkOffsets(header: BatchHeader, at: number): void {
  const { lastOffsetDelta, recordCount } = header;
  if (
    header.baseOffset < 0 ||
    lastOffsetDelta < 0 ||
    recordCount < 0 ||
    recordCount > lastOffsetDelta + 1
  ) {
    throw new CorruptBatchError(
      'offsets',
      `The batch at byte ${at} has base offset ${header.baseOffset}, last offset delta ${lastOffsetDelta} and ${recordCount} records`,
    );
  }
}

/** Section by section what LogValidator of Apache Kafka demands of batches from clients. */
function checkClientRules(header: BatchHeader): void {
  if (compressionOf(header) > COMPRESSION.zstd) {
    throw new InvalidBatchError(
      'compression-type',
      `Expected a compression id of 0 to 4, found ${compressionOf(header)}`,
    );
  }
  if (header.baseOffset !== 0) {
    throw new InvalidBatchError(
      'base-offset',
      `Expected base offset 0 from a client, found ${header.baseOffset}`,
    );
  }
  if (header.recordCount < 1 || header.recordCount !== header.lastOffsetDelta + 1) {
    throw new InvalidBatchError(
      'record-count',
      `Expected at least one record, and a last offset delta of one less than their number; found ${header.recordCount} records and delta ${header.lastOffsetDelta}`,
    );
  }
  if (isControl(header)) {
    throw new InvalidBatchError('control', 'Clients must not write control batches');
  }
  checkProducer(header);
  if (isLogAppendTime(header)) {
    throw new InvalidBatchError(
      'timestamp-type',
      'Expected timestamp type CreateTime from a client, found LogAppendTime',
    );
  }
}

function checkProducer(header: BatchHeader): void {
  if (hasProducerId(header) && header.baseSequence < 0) {
    throw new InvalidBatchError(
      'sequence',
      `Producer ${header.producerId} sent sequence ${header.baseSequence}; idempotent batches count from 0`,
    );
  }
  if (isTransactional(header) && !hasProducerId(header)) {
    throw new InvalidBatchError('transactional', 'A transactional batch must have a producer id');
  }
}
