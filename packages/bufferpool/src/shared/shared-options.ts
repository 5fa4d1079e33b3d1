import type { Clock } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import { BufferPoolError } from '../errors.ts';
import type { SharedShape } from './shared-layout.ts';

/** Settings of a `SharedBufferPool`: plain data, given by the thread that makes it. */
export interface SharedBufferPoolOptions {
  /** All the memory that may be handed out at one time, in bytes; a multiple of `poolableBytes`. */
  readonly totalBytes: number;

  /**
   * Size of a page, in bytes; an integer in [1, 2^31 - 1]. A request takes whole pages in a row, so
   * this is the size that is served fastest and wastes nothing.
   */
  readonly poolableBytes: number;

  /** How many allocations may wait at one time, over all threads; an integer >= 1. Default 1000. */
  readonly maxWaiters?: number | undefined;

  /** How many threads may take part at one time, the maker among them; an integer >= 1. Default 64. */
  readonly maxThreads?: number | undefined;
}

/** What a `SharedBufferPool` is given besides its settings, in each thread its own. */
export interface SharedBufferPoolContext {
  readonly clock: Clock;

  /** Where this thread registers Kafka's metrics: its own waits, and the memory of all. Default: nowhere. */
  readonly metrics?: MetricsRegistry | undefined;

  /** Group of those metrics; one pool a group and registry. Default `producer-metrics`. */
  readonly metricsGroup?: string | undefined;
}

/** The defaults of {@link SharedBufferPoolOptions}. */
export const SHARED_BUFFER_POOL_DEFAULTS: {
  readonly maxWaiters: number;
  readonly maxThreads: number;
} = Object.freeze({ maxWaiters: 1000, maxThreads: 64 });

const MAX_INT32 = 2 ** 31 - 1;

/** Checks every option. @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` */
export function resolveShape(options: SharedBufferPoolOptions): SharedShape {
  const { totalBytes, poolableBytes } = options;
  const maxWaiters = options.maxWaiters ?? SHARED_BUFFER_POOL_DEFAULTS.maxWaiters;
  const maxThreads = options.maxThreads ?? SHARED_BUFFER_POOL_DEFAULTS.maxThreads;
  requireInteger('poolableBytes', poolableBytes, MAX_INT32);
  requireInteger('totalBytes', totalBytes, Number.MAX_SAFE_INTEGER);
  if (totalBytes % poolableBytes !== 0 || totalBytes / poolableBytes > MAX_INT32) {
    throw invalid('totalBytes', `a multiple of poolableBytes = ${poolableBytes}`, totalBytes);
  }
  requireInteger('maxWaiters', maxWaiters, 2 ** 20);
  requireInteger('maxThreads', maxThreads, 2 ** 10);
  return { pages: totalBytes / poolableBytes, pageBytes: poolableBytes, maxWaiters, maxThreads };
}

function requireInteger(name: string, value: unknown, max: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max) return;
  throw invalid(name, `an integer in [1, ${max}]`, value);
}

function invalid(name: string, rule: string, value: unknown): BufferPoolError {
  return new BufferPoolError(
    'invalid-options',
    `Option ${name} of a SharedBufferPool must be ${rule}; got ${String(value)} (${typeof value}).`,
  );
}
