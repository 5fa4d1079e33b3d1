import type { Clock } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import { BufferPoolError } from './errors.ts';
import type { UnreleasedReport } from './holder-ledger.ts';

/**
 * How a pool orders those who ask.
 *
 * - `strict`: whoever comes while others wait goes to the end of the queue; only buffers of this
 *   pool are taken back, each once and whole.
 * - `kafka`: as `BufferPool` of Apache Kafka's producer, to the letter. A newcomer that finds
 *   enough free memory is served past the queue, and whatever is returned is believed.
 */
export type BufferPoolSemantics = 'strict' | 'kafka';

/** Settings of a {@link BufferPool}: plain data, except `createBuffer`. */
export interface BufferPoolOptions {
  /** All the memory that may be handed out at one time, in bytes; an integer >= 1. `buffer.memory` of Kafka's producer. */
  readonly totalBytes: number;

  /**
   * Size in bytes of the buffers that are kept for reuse; an integer >= 0, where 0 keeps none of any
   * use, and >= 1 with `sizeClasses`. `batch.size` of Kafka's producer.
   */
  readonly poolableBytes: number;

  /**
   * Further sizes that are kept for reuse, in bytes, each in [1, `totalBytes`]. With them, a request
   * gets a buffer of *at least* the size asked for: of the smallest pooled size (these and
   * `poolableBytes`) that holds it, or of exactly its own size beyond the largest. All draw on the
   * one budget of `totalBytes`, from which the whole buffer counts. Only with `strict`. Default: none.
   */
  readonly sizeClasses?: readonly number[] | undefined;

  /** How many allocations may wait at one time; an integer >= 0, or `Infinity`. Default 10,000. */
  readonly maxWaiters?: number | undefined;

  /** Default `strict`. */
  readonly semantics?: BufferPoolSemantics | undefined;

  /**
   * Diagnostic mode: remembers label, stack and time of every allocation until its release, for
   * {@link BufferPool.unreleased} and the report at close. Costs microseconds an allocation when it
   * is on, and nothing when it is off. Default `false`.
   */
  readonly diagnostics?: boolean | undefined;

  /**
   * Makes a buffer of exactly `size` bytes. What it throws fails that one allocation with
   * `LOGLOFT_POOL_CREATION_FAILED`, and its memory goes back. Default `Buffer.allocUnsafeSlow`, whose
   * content is not wiped.
   */
  readonly createBuffer?: ((size: number) => Buffer) | undefined;
}

/** What a {@link BufferPool} is given besides its settings. */
export interface BufferPoolContext {
  readonly clock: Clock;

  /** Where the pool registers Kafka's metrics. Default: nowhere. */
  readonly metrics?: MetricsRegistry | undefined;

  /** Group of those metrics; one pool a group and registry. Default `producer-metrics`. */
  readonly metricsGroup?: string | undefined;

  /**
   * In the diagnostic mode: is told at {@link BufferPool.close} which buffers were never released, if
   * there are any. Default: nobody is told.
   */
  readonly onUnreleased?: ((report: UnreleasedReport) => void) | undefined;
}

/** {@link BufferPoolOptions} after validation, all defaults filled in. */
export interface ResolvedBufferPoolOptions {
  readonly totalBytes: number;
  readonly poolableBytes: number;
  /** Pooled sizes, ascending, without repetition. */
  readonly pooledSizes: readonly number[];
  /** Whether requests are rounded up to a pooled size. */
  readonly roundsUp: boolean;
  readonly maxWaiters: number;
  readonly semantics: BufferPoolSemantics;
  readonly diagnostics: boolean;
  readonly createBuffer: (size: number) => Buffer;
}

/** The defaults of {@link BufferPoolOptions}. */
export const BUFFER_POOL_DEFAULTS: {
  readonly maxWaiters: number;
  readonly semantics: BufferPoolSemantics;
  readonly diagnostics: boolean;
} = Object.freeze({ maxWaiters: 10_000, semantics: 'strict', diagnostics: false });

/** Checks every option, and fills in the defaults. @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` */
export function resolveBufferPoolOptions(options: BufferPoolOptions): ResolvedBufferPoolOptions {
  const { totalBytes, poolableBytes, sizeClasses = [] } = options;
  const maxWaiters = options.maxWaiters ?? BUFFER_POOL_DEFAULTS.maxWaiters;
  const semantics = options.semantics ?? BUFFER_POOL_DEFAULTS.semantics;
  const diagnostics = options.diagnostics ?? BUFFER_POOL_DEFAULTS.diagnostics;
  const createBuffer = options.createBuffer ?? Buffer.allocUnsafeSlow;

  requireInteger('totalBytes', totalBytes, [1, Number.MAX_SAFE_INTEGER]);
  requireInteger('poolableBytes', poolableBytes, [0, Number.MAX_SAFE_INTEGER]);
  if (
    maxWaiters !== Number.POSITIVE_INFINITY &&
    !(Number.isSafeInteger(maxWaiters) && maxWaiters >= 0)
  ) {
    throw invalid('maxWaiters', 'an integer >= 0 or Infinity', maxWaiters);
  }
  if (semantics !== 'strict' && semantics !== 'kafka') {
    throw invalid('semantics', "'strict' or 'kafka'", semantics);
  }
  if (typeof diagnostics !== 'boolean') throw invalid('diagnostics', 'a boolean', diagnostics);
  if (typeof createBuffer !== 'function') throw invalid('createBuffer', 'a function', createBuffer);
  checkSizeClasses({ totalBytes, poolableBytes, sizeClasses, semantics });

  const roundsUp = sizeClasses.length > 0;
  const pooledSizes = [...new Set([poolableBytes, ...sizeClasses])].sort((a, b) => a - b);
  return {
    totalBytes,
    poolableBytes,
    pooledSizes,
    roundsUp,
    maxWaiters,
    semantics,
    diagnostics,
    createBuffer,
  };
}

function checkSizeClasses(options: BufferPoolOptions): void {
  const { totalBytes, poolableBytes, sizeClasses = [], semantics } = options;
  if (!Array.isArray(sizeClasses)) {
    throw invalid('sizeClasses', 'an array of integers', sizeClasses);
  }
  for (const size of sizeClasses) requireInteger('sizeClasses', size, [1, totalBytes]);
  if (sizeClasses.length === 0) return;
  if (semantics === 'kafka') {
    throw invalid('sizeClasses', "absent when semantics is 'kafka'", sizeClasses);
  }
  requireInteger('poolableBytes', poolableBytes, [1, totalBytes]);
}

function requireInteger(name: string, value: unknown, range: readonly [number, number]): void {
  const [min, max] = range;
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return;
  throw invalid(name, `an integer in [${min}, ${max}]`, value);
}

function invalid(name: string, rule: string, value: unknown): BufferPoolError {
  return new BufferPoolError(
    'invalid-options',
    `Option ${name} of a BufferPool must be ${rule}; got ${String(value)} (${typeof value}).`,
  );
}
