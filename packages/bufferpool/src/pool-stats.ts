import { BufferPoolError } from './errors.ts';
import type { SizeBucket } from './size-histogram.ts';

/** The share of requests that the suggested size is to hold, unless told otherwise. */
export const DEFAULT_SERVED_SHARE = 0.8;

/** What {@link BufferPoolStats.suggestedPoolableBytes} is computed for. */
export interface StatsOptions {
  /** Share of the requests, in (0, 1], that the suggested size is to hold. Default {@link DEFAULT_SERVED_SHARE}. */
  readonly servedShare?: number | undefined;
}

/** A pool at one moment. All sizes in bytes; counts are since the pool was made. */
export interface BufferPoolStats {
  readonly totalBytes: number;
  readonly poolableBytes: number;
  /** What nobody holds: unallocated bytes and free buffers. */
  readonly availableBytes: number;
  /** Bytes that belong to no buffer. */
  readonly unallocatedBytes: number;
  /** Buffers that wait for reuse. */
  readonly freeBuffers: number;
  /** What is out: handed out and not yet returned. */
  readonly grantedBytes: number;
  /** Allocations that wait. */
  readonly waiters: number;
  /** What the waiter at the head has gathered; 0 when nobody waits. */
  readonly heldByWaitersBytes: number;
  readonly closed: boolean;
  /** Buffers made. */
  readonly createdBuffers: number;
  /** Allocations served with a buffer that was used before. */
  readonly reusedBuffers: number;
  /** Allocations that ran out of time. */
  readonly exhausted: number;
  /** Allocations refused because `maxWaiters` others were waiting. */
  readonly refusedWaiters: number;
  /** Share of the buffers handed out that had been used before, in [0, 1]; 0 before the first. */
  readonly reusedShare: number;
  /**
   * What sizes were asked for, ascending, in ranges at most 6.25 % wide. Counts every request that
   * was served or had to wait, and none that `tryAllocate` could not serve: it will be made again.
   */
  readonly requestedSizes: readonly SizeBucket[];
  /**
   * The smallest `poolableBytes` that would hold the given share of the requests; `undefined` before
   * the first. Requests up to it are served from the free list if they are rounded up to it: by
   * `sizeClasses`, or by the caller, as Kafka's producer does.
   */
  readonly suggestedPoolableBytes: number | undefined;
}

/** Checks a share, and fills in the default. @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` */
export function checkedShare(share: number = DEFAULT_SERVED_SHARE): number {
  if (share > 0 && share <= 1) return share;
  throw new BufferPoolError(
    'invalid-options',
    `servedShare must be a number in (0, 1]; got ${String(share)} (${typeof share}).`,
  );
}
