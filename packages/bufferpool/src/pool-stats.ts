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
}
