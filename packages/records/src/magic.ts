import { BATCH_HEADER_BYTES, CURRENT_MAGIC, LOG_OVERHEAD_BYTES } from './constants.ts';
import { CorruptBatchError, InvalidBatchError } from './errors.ts';

/**
 * Passes the magic of the batch at `at` if it is 2.
 *
 * @throws InvalidBatchError with reason `legacy-magic` for 0 and 1
 * @throws CorruptBatchError with reason `magic` for everything else
 */
export function checkMagic(magic: number, at: number): void {
  if (magic === CURRENT_MAGIC) return;
  if (magic === 0 || magic === 1) {
    throw new InvalidBatchError(
      'legacy-magic',
      `The messages at byte ${at} have magic ${magic}; only batches of magic 2 (Kafka 0.11 and newer) are supported`,
    );
  }
  throw new CorruptBatchError('magic', `Expected a batch of magic 2 at byte ${at}, found ${magic}`);
}

/** A length of 14, the overhead of a message of magic 0, is the least one of any format. */
const MIN_LEGACY_BYTES = 14 + LOG_OVERHEAD_BYTES;

/**
 * Passes the size and magic of the batch at `at` if they are possible ones of magic 2. Zeros, as in
 * the unwritten part of a file, are no message set of magic 0: they have no length.
 *
 * @param magic undefined where it is not there yet
 * @throws CorruptBatchError with reason `length`, and what {@link checkMagic} throws
 */
export function checkSizeAndMagic(
  sizeInBytes: number,
  magic: number | undefined,
  at: number,
): void {
  if (sizeInBytes >= MIN_LEGACY_BYTES) {
    if (magic === undefined) return;
    checkMagic(magic, at);
    if (sizeInBytes >= BATCH_HEADER_BYTES) return;
  }
  throw new CorruptBatchError(
    'length',
    `The batch at byte ${at} has length ${sizeInBytes - LOG_OVERHEAD_BYTES}, less than a header`,
  );
}
