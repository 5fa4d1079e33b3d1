import { RemoteStorageError } from './errors.ts';

/** A range of bytes, both ends inclusive as in Kafka's `fetchLogSegment`. Without `end`: to the end. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number | undefined;
}

/**
 * Cuts a range to what exists.
 *
 * @param size bytes of the whole, >= 0
 * @returns first byte and number of bytes, at least one
 * @throws RemoteStorageError `bad-range` when the range is malformed or starts at or beyond `size`
 */
export function clipByteRange(range: ByteRange, size: number): { start: number; length: number } {
  const { start, end = Number.MAX_SAFE_INTEGER } = range;
  if (!(Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start)) {
    throw new RemoteStorageError('bad-range', `Range ${start} to ${end} is not 0 <= start <= end`);
  }
  if (start >= size) {
    throw new RemoteStorageError(
      'bad-range',
      `Range starts at ${start}, but there are ${size} bytes`,
    );
  }
  return { start, length: Math.min(end, size - 1) - start + 1 };
}
