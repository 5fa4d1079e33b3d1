import { BufferPoolError } from './errors.ts';

/** How long an allocation waits unless told otherwise, in ms: `max.block.ms` of Kafka's producer. */
export const DEFAULT_MAX_BLOCK_MS = 60_000;

/** What an allocation tells about itself. */
export interface HolderOptions {
  /** Names the holder in the reports of the diagnostic mode; ignored without it. */
  readonly label?: string | undefined;
}

/** How one allocation waits. */
export interface AllocateOptions extends HolderOptions {
  /**
   * The longest wait in ms: 0 or less fails at once, `Infinity` waits for ever. Waking up for a part
   * of the memory does not extend it. Default {@link DEFAULT_MAX_BLOCK_MS}.
   */
  readonly maxBlockMs?: number | undefined;

  /** Ends the wait: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Checks a `maxBlockMs`, and fills in the default. @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` */
export function checkedBlockMs(maxBlockMs: number = DEFAULT_MAX_BLOCK_MS): number {
  if (typeof maxBlockMs !== 'number' || Number.isNaN(maxBlockMs)) {
    throw new BufferPoolError(
      'invalid-options',
      `maxBlockMs must be a number of ms; got ${String(maxBlockMs)} (${typeof maxBlockMs}).`,
    );
  }
  // Kafka says "for ever" with the largest long; such a deadline needs no timer.
  return maxBlockMs > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : maxBlockMs;
}
