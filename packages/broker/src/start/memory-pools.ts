import { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import { ResponseMemory } from '../fetch/response-memory.ts';
import type { BrokerLogger } from '../logger.ts';
import { type FramePool, ReceiveMemory } from '../network/receive-memory.ts';

const KIB = 1024;
/**
 * Small requests; a batch of 16 KiB (`batch.size`) or of 64 KiB and the request around it. A frame
 * that misses its size by a few bytes would be allocated anew each time.
 */
const FIRST_SIZES = [4 * KIB, 20 * KIB, 72 * KIB] as const;
/**
 * A step on the way, and the usual largest request of a producer (`max.request.size`, 1 MiB, which
 * some clients count without what is around it).
 */
const LARGE_SIZES = [288 * KIB, 1088 * KIB] as const;
/** The part of the receive memory in which frames start. */
const FIRST_SHARE = 0.25;
/** Slices of a fetch, up to the usual `max.partition.fetch.bytes`. */
const RESPONSE_SIZES = [16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB] as const;
const RESPONSE_BYTES = 64 * KIB * KIB;

/** The memory that requests and responses live in. */
export interface MemoryPools extends AsyncDisposable {
  readonly receive: ReceiveMemory;
  readonly response: ResponseMemory;
}

/** What the pools need from the broker. */
export interface MemoryPoolsContext {
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  /** Told, at the end, which sizes were asked for. */
  readonly logger: BrokerLogger;
}

/** Makes both pools. `receiveBytes` is `queued.max.request.bytes`. */
export function createMemoryPools(receiveBytes: number, context: MemoryPoolsContext): MemoryPools {
  const firstBytes = Math.ceil(receiveBytes * FIRST_SHARE);
  const largeBytes = Math.max(1, receiveBytes - firstBytes);
  const first = classedPool(firstBytes, FIRST_SIZES, 'request-memory', context);
  const large = classedPool(largeBytes, LARGE_SIZES, 'large-request-memory', context);
  const response = classedPool(RESPONSE_BYTES, RESPONSE_SIZES, 'response-memory', context);
  return {
    receive: new ReceiveMemory({
      first: framePool(first, firstBytes),
      large: framePool(large, largeBytes),
    }),
    response: new ResponseMemory(response),
    async [Symbol.asyncDispose]() {
      logSizes(context.logger, { first, large, response });
      await Promise.all([first.close(), large.close(), response.close()]);
    },
  };
}

/** Whoever tunes sizes wants those that the clients really asked for, not a rule of thumb. */
function logSizes(logger: BrokerLogger, pools: Readonly<Record<string, BufferPool>>): void {
  for (const [name, pool] of Object.entries(pools)) {
    const { poolableBytes, reusedShare, suggestedPoolableBytes } = pool.stats();
    if (suggestedPoolableBytes === undefined) continue;
    logger.info('buffer pool: what 80 % of the requests fitted in, and what was reused', {
      pool: name,
      poolableBytes,
      suggestedPoolableBytes,
      reusedShare: Number(reusedShare.toFixed(3)),
    });
  }
}

function framePool(pool: BufferPool, totalBytes: number): FramePool {
  return {
    totalBytes,
    tryAllocate: (size) => pool.tryAllocate(size),
    // A connection waits as long as it takes: its socket is paused, nothing is dropped.
    allocate: (size, options) =>
      pool.allocate(size, { ...options, maxBlockMs: Number.POSITIVE_INFINITY }),
    deallocate: (buffer) => pool.deallocate(buffer),
  };
}

function classedPool(
  totalBytes: number,
  sizes: readonly number[],
  metricsGroup: string,
  context: MemoryPoolsContext,
): BufferPool {
  const fitting = sizes.filter((size) => size <= totalBytes);
  const [poolableBytes = totalBytes, ...sizeClasses] = fitting;
  return new BufferPool(
    { totalBytes, poolableBytes, sizeClasses, maxWaiters: Number.POSITIVE_INFINITY },
    { clock: context.clock, metrics: context.metrics, metricsGroup },
  );
}
