import { BufferPoolError } from './errors.ts';

/** The refusals that every pool of this package has in common, in the same words. */
export function closedError(): BufferPoolError {
  return new BufferPoolError('closed', 'The pool is closed. Allocate before closing it.');
}

/** More waiters than `maxWaiters`. */
export function tooManyWaitersError(maxWaiters: number): BufferPoolError {
  return new BufferPoolError(
    'too-many-waiters',
    `${maxWaiters} allocations are waiting already, which is maxWaiters. ` +
      'Slow down whoever allocates, or raise it.',
  );
}

/** Checks a size before and after the question whether the pool is closed, in the order that Kafka has. */
export function checkSize(size: number, totalBytes: number, closed: boolean): void {
  if (size > totalBytes) {
    throw new BufferPoolError(
      'too-large',
      `${size} bytes were asked of a pool of ${totalBytes} bytes, which can never hold them. ` +
        'Ask for less, or raise totalBytes.',
    );
  }
  if (closed) throw closedError();
  if (!Number.isInteger(size) || size < 0) {
    throw new BufferPoolError(
      'invalid-size',
      `The size of a buffer must be an integer in [0, ${totalBytes}]; got ${String(size)}.`,
    );
  }
}
