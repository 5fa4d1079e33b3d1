import { CURRENT_MAGIC } from './constants.ts';
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
