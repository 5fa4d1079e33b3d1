import { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import { ResponseMemory } from '../fetch/response-memory.ts';
import { type FramePool, ReceiveMemory } from '../network/receive-memory.ts';

const KIB = 1024;
/**
 * Small requests; a batch of 16 KiB (`batch.size`) or of 64 KiB and the request around it; the usual
 * largest request of a producer (`max.request.size`, 1 MiB, which some clients count without what is
 * around it). A frame that misses its size by a few bytes would be allocated anew each time.
 */
const RECEIVE_SIZES = [4 * KIB, 20 * KIB, 72 * KIB, 1088 * KIB] as const;
/** Slices of a fetch, up to the usual `max.partition.fetch.bytes`. */
const RESPONSE_SIZES = [16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB] as const;
const RESPONSE_BYTES = 64 * KIB * KIB;

/** The memory that requests and responses live in. */
export interface MemoryPools extends AsyncDisposable {
  readonly receive: ReceiveMemory;
  readonly response: ResponseMemory;
}

/** Makes both pools. `receiveBytes` is `queued.max.request.bytes`. */
export function createMemoryPools(
  receiveBytes: number,
  context: { readonly clock: Clock; readonly metrics: MetricsRegistry },
): MemoryPools {
  const receivePool = classedPool(receiveBytes, RECEIVE_SIZES, 'request-memory', context);
  const responsePool = classedPool(RESPONSE_BYTES, RESPONSE_SIZES, 'response-memory', context);
  const frames: FramePool = {
    tryAllocate: (size) => receivePool.tryAllocate(size),
    // A connection waits as long as it takes: its socket is paused, nothing is dropped.
    allocate: (size, options) =>
      receivePool.allocate(size, { ...options, maxBlockMs: Number.POSITIVE_INFINITY }),
    deallocate: (buffer) => receivePool.deallocate(buffer),
  };
  return {
    receive: new ReceiveMemory(frames),
    response: new ResponseMemory(responsePool),
    async [Symbol.asyncDispose]() {
      await receivePool.close();
      await responsePool.close();
    },
  };
}

function classedPool(
  totalBytes: number,
  sizes: readonly number[],
  metricsGroup: string,
  context: { readonly clock: Clock; readonly metrics: MetricsRegistry },
): BufferPool {
  const fitting = sizes.filter((size) => size <= totalBytes);
  const [poolableBytes = totalBytes, ...sizeClasses] = fitting;
  return new BufferPool(
    { totalBytes, poolableBytes, sizeClasses, maxWaiters: Number.POSITIVE_INFINITY },
    { ...context, metricsGroup },
  );
}
