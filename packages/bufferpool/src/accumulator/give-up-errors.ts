import { AccumulatorError } from './accumulator-error.ts';
import type { RecordBatch } from './record-batch.ts';

/** A record that comes after the close, or was still waiting then. */
export function closedError(): AccumulatorError {
  return new AccumulatorError('closed', 'The accumulator is closed. Append before closing it.');
}

/** What {@link AccumulatorError} an abort fails with unless it is given a reason. */
export function abortedError(): AccumulatorError {
  return new AccumulatorError('aborted', 'The accumulator was aborted before this was delivered.');
}

/** A batch that became older than it may. */
export function tooOldError(
  batch: RecordBatch<unknown, unknown>,
  cause: unknown,
): AccumulatorError {
  return new AccumulatorError(
    'delivery-timeout',
    `A batch of ${batch.records.length} records was not delivered within deliveryTimeoutMs, after ` +
      `${batch.attempts} attempts. It may have arrived all the same.`,
    cause === undefined ? {} : { cause },
  );
}
