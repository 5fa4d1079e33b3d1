import { ManualClock } from '@logloft/clock';
import { type MeasurableStat, MetricsRegistry } from '@logloft/metrics';
import { expect } from 'vitest';
import {
  BufferExhaustedError,
  BufferPool,
  type BufferPoolSemantics,
  isBufferPoolError,
} from '../src/index.ts';
import type { Scenario, VectorEvent, VectorStep } from './kafka-scenarios.ts';

/** Runs a recorded scenario step by step, and compares outcomes, their order, and the accounts after each. */
export async function replay(scenario: Scenario, semantics: BufferPoolSemantics): Promise<void> {
  await new Replay(scenario, semantics).run();
}

type Outcome =
  | { readonly id: number; readonly buffer: Buffer }
  | { readonly id: number; readonly reason: unknown };

class Replay {
  readonly #scenario: Scenario;
  readonly #clock = new ManualClock({ startMs: 1_000_000 });
  readonly #registry = new MetricsRegistry({ clock: this.#clock });
  readonly #pool: BufferPool;
  readonly #buffers = new Map<number, Buffer>();
  readonly #labels = new Map<Buffer, string>();
  readonly #aborts = new Map<number, AbortController>();
  readonly #failing = new Set<number>();
  readonly #waitRecords: number[] = [];
  /** Ids of waiters in order of arrival, as of the last settled moment. */
  #waiting: { readonly id: number; readonly deadlineMs: number }[] = [];
  #interrupted: number | undefined;
  #newcomer = -1;
  #reusedBefore = 0;
  #createdForWaiters = 0;
  #outcomes: Outcome[] = [];

  constructor(scenario: Scenario, semantics: BufferPoolSemantics) {
    this.#scenario = scenario;
    this.#pool = new BufferPool(
      {
        totalBytes: scenario.totalMemory,
        poolableBytes: scenario.poolableSize,
        semantics,
        createBuffer: (size) => this.#createBuffer(size),
      },
      { clock: this.#clock, metrics: this.#registry },
    );
    const spy: MeasurableStat = {
      record: (_config, value) => this.#waitRecords.push(value),
      measure: () => 0,
    };
    const name = this.#registry.metricName({ name: 'spy', group: 'test' });
    this.#registry.getSensor('bufferpool-wait-time')?.add(name, spy);
  }

  async run(): Promise<void> {
    for (const [index, step] of this.#scenario.steps.entries()) {
      this.#outcomes = [];
      this.#interrupted = undefined;
      this.#reusedBefore = this.#pool.stats().reusedBuffers;
      this.#createdForWaiters = 0;
      this.#newcomer = -1;
      await this.#perform(step);
      await this.#clock.advanceAsync(0);
      this.#compare(step, `${this.#scenario.name}, step ${index}: ${JSON.stringify(step)}`);
    }
    this.#compareMetrics();
  }

  async #perform(step: VectorStep): Promise<void> {
    switch (step.op) {
      case 'alloc':
        this.#allocate(step.id, step.size, Number(step.timeoutMs), step.oom === true);
        return;
      case 'free':
        this.#free(step.id, step.size, step.otherBufferOfCapacity);
        return;
      case 'freeNull':
        this.#pool.deallocate(null);
        return;
      case 'advance':
        await this.#clock.advanceAsync(step.ms);
        return;
      case 'interrupt':
        this.#interrupted = step.id;
        this.#aborts.get(step.id)?.abort(new Error('interrupted'));
        return;
      case 'close':
        await this.#pool.close();
    }
  }

  #allocate(id: number, size: number, maxBlockMs: number, fails: boolean): void {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    if (fails) this.#failing.add(id);
    this.#newcomer = id;
    const before = this.#pool.stats().waiters;
    this.#pool.allocate(size, { maxBlockMs, signal: abort.signal }).then(
      (buffer) => this.#settle({ id, buffer }),
      (reason: unknown) => this.#settle({ id, reason }),
    );
    const deadlineMs = this.#clock.monotonic() + maxBlockMs;
    if (this.#pool.stats().waiters > before) this.#waiting.push({ id, deadlineMs });
  }

  #settle(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    this.#waiting = this.#waiting.filter(({ id }) => id !== outcome.id);
  }

  #free(id: number, size: number | undefined, otherCapacity: number | undefined): void {
    const own = this.#buffers.get(id);
    this.#pool.deallocate(otherCapacity === undefined ? own : Buffer.alloc(otherCapacity), size);
  }

  /** Some allocations are to fail when their buffer is made, so this finds out whose turn it is. */
  #createBuffer(size: number): Buffer {
    const nowMs = this.#clock.monotonic();
    const able = this.#waiting.filter(
      ({ id, deadlineMs }) => id !== this.#interrupted && deadlineMs > nowMs,
    );
    const { waiters, reusedBuffers } = this.#pool.stats();
    const servedWaiters = able.length - waiters;
    const accounted = reusedBuffers - this.#reusedBefore + this.#createdForWaiters;
    const isForWaiter = servedWaiters > accounted;
    if (isForWaiter) this.#createdForWaiters += 1;
    const id = isForWaiter ? able[servedWaiters - 1]?.id : this.#newcomer;
    if (id !== undefined && this.#failing.has(id)) throw new Error('simulated');
    return Buffer.alloc(size);
  }

  #compare(step: VectorStep, message: string): void {
    const kinds = this.#outcomes.map((outcome) => [outcome.id, kindOf(outcome)]);
    const expected = step.events.map((event) => [
      event[1],
      event[0] === 'grant' ? 'grant' : event[2],
    ]);
    expect(kinds, message).toEqual(expected);
    for (const [index, event] of step.events.entries()) {
      const outcome = this.#outcomes[index];
      if (outcome !== undefined) this.#compareOutcome(outcome, event, message);
    }
    const stats = this.#pool.stats();
    expect(
      [
        stats.availableBytes,
        stats.unallocatedBytes,
        stats.freeBuffers,
        stats.waiters,
        stats.heldByWaitersBytes,
      ],
      message,
    ).toEqual(step.state);
  }

  #compareOutcome(outcome: Outcome, event: VectorEvent, message: string): void {
    if ('buffer' in outcome) {
      this.#buffers.set(outcome.id, outcome.buffer);
      const label = event[2];
      const known = this.#labels.get(outcome.buffer);
      const isNewLabel = ![...this.#labels.values()].includes(label);
      expect(known, message).toBe(isNewLabel ? undefined : label);
      this.#labels.set(outcome.buffer, label);
      return;
    }
    // The numbers of Kafka's sentence, in its order, are the facts of our error.
    if (outcome.reason instanceof BufferExhaustedError) {
      const { requestedBytes, maxBlockMs, totalBytes, availableBytes, poolableBytes } =
        outcome.reason;
      expect(String(event[3]).match(/-?\d+/g)?.map(Number), message).toEqual([
        requestedBytes,
        maxBlockMs,
        totalBytes,
        availableBytes,
        poolableBytes,
      ]);
    }
  }

  #compareMetrics(): void {
    const { name, waitRecordsNs, metricsAtEnd } = this.#scenario;
    if (waitRecordsNs !== undefined) {
      expect(this.#waitRecords, name).toEqual(waitRecordsNs.map(Number));
    }
    for (const [metric, value] of Object.entries(metricsAtEnd)) {
      const metricName = this.#registry.metricName({ name: metric, group: 'producer-metrics' });
      expect(this.#registry.metric(metricName)?.value(), `${name}: ${metric}`).toBe(Number(value));
    }
  }
}

/** The name of Kafka's exception for what happened. */
function kindOf(outcome: Outcome): string {
  if ('buffer' in outcome) return 'grant';
  const { reason } = outcome;
  if (!isBufferPoolError(reason)) return 'InterruptedException';
  switch (reason.kind) {
    case 'exhausted':
      return 'BufferExhaustedException';
    case 'closed':
      return 'KafkaException';
    case 'too-large':
    case 'invalid-size':
      return 'IllegalArgumentException';
    case 'creation-failed':
      return 'OutOfMemoryError';
    default:
      return reason.code;
  }
}
