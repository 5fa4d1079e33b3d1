import { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';
import { RemoteStorageError } from '../errors.ts';

/** How much memory the uploads of a store share. */
export interface PartMemoryOptions {
  readonly clock: Clock;
  /** Most bytes that all uploads of the store hold at one time, >= `partBytes`. */
  readonly totalBytes: number;
  /** Bytes of a part, >= 1. Buffers of this size are kept for the next one. */
  readonly partBytes: number;
}

/**
 * The memory that `uploadParts` takes its parts from: one for each store, so that the bound holds for
 * all its uploads together.
 *
 * @throws RemoteStorageError `invalid-configuration` when the numbers are not positive integers, or a
 *   part does not fit
 */
export function partMemory({ clock, totalBytes, partBytes }: PartMemoryOptions): BufferPool {
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;
  if (!(isCount(totalBytes) && isCount(partBytes) && partBytes <= totalBytes)) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `Memory for uploads of ${totalBytes} bytes cannot hold a part of ${partBytes} bytes`,
    );
  }
  return new BufferPool({ totalBytes, poolableBytes: partBytes }, { clock });
}
