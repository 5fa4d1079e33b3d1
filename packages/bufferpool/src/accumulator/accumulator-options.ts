import type { Clock } from '@logloft/clock';
import type { AllocateOptions } from '../allocate-options.ts';
import { AccumulatorError } from './accumulator-error.ts';

/** The part of a pool that an accumulator draws on: a `BufferPool`, a `SharedBufferPool`, or a caller's own. */
export interface BatchMemory {
  /** Allocations that wait for memory: while there are any, batches are sent without lingering. */
  readonly waiters: number;
  allocate(size: number, options?: AllocateOptions): Promise<Buffer>;
  tryAllocate(size: number): Buffer | undefined;
  deallocate(buffer: Buffer): void;
  stats(): {
    readonly totalBytes: number;
    readonly poolableBytes: number;
    readonly availableBytes: number;
  };
}

/** Settings of a `RecordAccumulator`: plain data, except what it must know of a record. */
export interface RecordAccumulatorOptions<R> {
  /** An upper bound, in bytes, of what `record` takes in a batch; an integer >= 0. */
  readonly estimatedBytes: (record: R) => number;

  /**
   * Writes `record` into the buffer of its batch at `offset`, where at least its estimated bytes are
   * free, and returns how many bytes it wrote. With it, `batch.bytes` is what was written. What it
   * throws fails that one append. Default: nothing is written, and the buffer stands for the memory
   * that the records themselves take.
   */
  readonly write?: ((record: R, target: Buffer, offset: number) => number) | undefined;

  /**
   * The size at which a batch is full, in bytes; an integer >= 1. `batch.size` of Kafka's producer.
   * Default: the poolable size of the pool, so that batches are made of buffers that were used before.
   */
  readonly batchBytes?: number | undefined;

  /** How long a batch waits for more records, in ms; >= 0. `linger.ms` of Kafka's producer. Default 5. */
  readonly lingerMs?: number | undefined;

  /** The pause before a batch is tried a second time, in ms; doubles from try to try. `retry.backoff.ms`. Default 100. */
  readonly retryBackoffMs?: number | undefined;

  /** The longest such pause, in ms. `retry.backoff.max.ms`. Default 1000. */
  readonly retryBackoffMaxMs?: number | undefined;

  /**
   * How old a batch may become, in ms, before it is given up while it is not in flight; `Infinity`
   * for never. `delivery.timeout.ms`. Default 120,000.
   */
  readonly deliveryTimeoutMs?: number | undefined;

  /**
   * Batches of one partition that may be in flight at one time; an integer >= 1. With 1, a retry
   * cannot change the order of records. Default 1.
   */
  readonly maxInFlightPerPartition?: number | undefined;

  /** How many appends may wait for memory at one time; an integer >= 1. Default 10,000. */
  readonly maxWaiters?: number | undefined;
}

/** What a `RecordAccumulator` is given besides its settings. */
export interface RecordAccumulatorContext {
  readonly pool: BatchMemory;
  readonly clock: Clock;
}

/** The defaults of {@link RecordAccumulatorOptions}: those of Kafka's producer, but for the flights. */
export const ACCUMULATOR_DEFAULTS: {
  readonly lingerMs: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
  readonly deliveryTimeoutMs: number;
  readonly maxInFlightPerPartition: number;
  readonly maxWaiters: number;
} = Object.freeze({
  lingerMs: 5,
  retryBackoffMs: 100,
  retryBackoffMaxMs: 1000,
  deliveryTimeoutMs: 120_000,
  maxInFlightPerPartition: 1,
  maxWaiters: 10_000,
});

/** {@link RecordAccumulatorOptions} after validation, all defaults filled in. */
export interface ResolvedAccumulatorOptions<R> {
  readonly estimatedBytes: (record: R) => number;
  readonly write: ((record: R, target: Buffer, offset: number) => number) | undefined;
  readonly batchBytes: number;
  readonly lingerMs: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
  readonly deliveryTimeoutMs: number;
  readonly maxInFlightPerPartition: number;
  readonly maxWaiters: number;
}

/** Checks every option, and fills in the defaults. @throws {@link AccumulatorError} `LOGLOFT_ACCUMULATOR_INVALID_OPTIONS` */
export function resolveAccumulatorOptions<R>(
  options: RecordAccumulatorOptions<R>,
  pool: BatchMemory,
): ResolvedAccumulatorOptions<R> {
  const { totalBytes, poolableBytes } = pool.stats();
  const resolved = withDefaults(options, poolableBytes);
  requireFunction('estimatedBytes', resolved.estimatedBytes);
  if (resolved.write !== undefined) requireFunction('write', resolved.write);
  requireInteger('batchBytes', resolved.batchBytes, totalBytes);
  requireInteger('maxInFlightPerPartition', resolved.maxInFlightPerPartition, 2 ** 31 - 1);
  requireInteger('maxWaiters', resolved.maxWaiters, 2 ** 31 - 1);
  requireMs('lingerMs', resolved.lingerMs);
  requireMs('retryBackoffMs', resolved.retryBackoffMs);
  requireMs('retryBackoffMaxMs', resolved.retryBackoffMaxMs);
  requireMs('deliveryTimeoutMs', resolved.deliveryTimeoutMs);
  return resolved;
}

/** The pause after the given number of attempts, in ms. */
export function backoffMs(
  options: { readonly retryBackoffMs: number; readonly retryBackoffMaxMs: number },
  attempts: number,
): number {
  return Math.min(options.retryBackoffMs * 2 ** (attempts - 1), options.retryBackoffMaxMs);
}

function withDefaults<R>(
  options: RecordAccumulatorOptions<R>,
  poolableBytes: number,
): ResolvedAccumulatorOptions<R> {
  const defaults = ACCUMULATOR_DEFAULTS;
  return {
    estimatedBytes: options.estimatedBytes,
    write: options.write,
    batchBytes: options.batchBytes ?? poolableBytes,
    lingerMs: options.lingerMs ?? defaults.lingerMs,
    retryBackoffMs: options.retryBackoffMs ?? defaults.retryBackoffMs,
    retryBackoffMaxMs: options.retryBackoffMaxMs ?? defaults.retryBackoffMaxMs,
    deliveryTimeoutMs: options.deliveryTimeoutMs ?? defaults.deliveryTimeoutMs,
    maxInFlightPerPartition: options.maxInFlightPerPartition ?? defaults.maxInFlightPerPartition,
    maxWaiters: options.maxWaiters ?? defaults.maxWaiters,
  };
}

function requireFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw invalid(name, 'a function', value);
}

function requireInteger(name: string, value: unknown, max: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max) return;
  throw invalid(name, `an integer in [1, ${max}]`, value);
}

function requireMs(name: string, value: unknown): void {
  if (typeof value !== 'number' || !(value >= 0)) throw invalid(name, 'a number of ms >= 0', value);
}

function invalid(name: string, rule: string, value: unknown): AccumulatorError {
  return new AccumulatorError(
    'invalid-options',
    `Option ${name} of a RecordAccumulator must be ${rule}; got ${String(value)} (${typeof value}).`,
  );
}
