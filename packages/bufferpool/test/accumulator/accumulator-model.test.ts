import { type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import type { RecordBatch } from '../../src/accumulator/index.ts';
import { makeAccumulator, type TestRecord } from './test-accumulator.ts';

const OPERATIONS = 100_000;
const PARTITIONS = ['p', 'q', 'r', 's'];

type Batch = RecordBatch<TestRecord, string>;

test.each([
  { seed: 1, totalBytes: 300 },
  { seed: 2, totalBytes: 1500 },
])(
  'seed $seed: 100,000 random operations lose no record, send none twice, keep the order, and conserve memory',
  async (run) => {
    const session = new Session(run);
    for (let operation = 0; operation < OPERATIONS; operation += 1) {
      await session.step(operation);
    }
    await session.finish();
  },
  60_000,
);

/** An accumulator under random calls, and what must be true of it whatever they are. */
class Session {
  readonly #seed: number;
  readonly #random: RandomSource;
  readonly #parts: ReturnType<typeof makeAccumulator>;
  readonly #flying: Batch[] = [];
  readonly #accepted = new Set<string>();
  readonly #ended = new Map<string, string>();
  readonly #lastCompleted = new Map<string, number>();
  #appends = 0;
  #refused = 0;

  constructor(run: { readonly seed: number; readonly totalBytes: number }) {
    this.#seed = run.seed;
    this.#random = seededRandom(run.seed);
    this.#parts = makeAccumulator({ deliveryTimeoutMs: 2000 }, run.totalBytes);
  }

  async step(operation: number): Promise<void> {
    const dice = this.#below(100);
    if (dice < 45) this.#append();
    else if (dice < 65) this.#drain();
    else if (dice < 90) this.#endAny();
    else this.#parts.clock.advance(this.#below(40));
    await Promise.resolve();
    await Promise.resolve();
    if (operation % 16 === 0) this.#check(`seed ${this.#seed}, operation ${operation}`);
  }

  async finish(): Promise<void> {
    const { accumulator, clock, pool } = this.#parts;
    for (const batch of this.#flying.splice(0)) accumulator.retry(batch);
    const closing = accumulator.close();
    while (accumulator.stats().partitions > 0) {
      clock.advance(1000);
      for (const batch of accumulator.drain(1000)) this.#complete(batch);
      await Promise.resolve();
    }
    await closing;
    await clock.advanceAsync(100_000);
    const message = `seed ${this.#seed}, at the end`;
    expect(this.#accepted.size + this.#refused, message).toBe(this.#appends);
    expect(this.#ended.size, message).toBe(this.#accepted.size);
    expect(this.#refused, message).toBeGreaterThan(100);
    expect(pool.stats(), message).toMatchObject({ grantedBytes: 0, waiters: 0 });
    expect(clock.pendingTimers, message).toBe(0);
  }

  #append(): void {
    const partition = PARTITIONS[this.#below(PARTITIONS.length)] ?? 'p';
    const name = `${partition}:${this.#appends}`;
    this.#appends += 1;
    const record = { name, bytes: this.#below(10) === 0 ? this.#below(300) : this.#below(70) };
    const abort = this.#below(10) === 0 ? new AbortController() : undefined;
    const how = { maxBlockMs: this.#below(100), signal: abort?.signal };
    this.#parts.accumulator.append(partition, record, how).then(
      (batch) => this.#accept(name, batch),
      () => {
        this.#refused += 1;
      },
    );
    abort?.abort();
  }

  #accept(name: string, batch: Batch): void {
    this.#accepted.add(name);
    if (batch.records[0]?.name !== name) return;
    batch.settled().then(
      () => this.#end(batch, 'completed'),
      () => this.#end(batch, 'failed'),
    );
  }

  #end(batch: Batch, how: string): void {
    for (const { name } of batch.records) {
      if (this.#ended.has(name)) throw new Error(`seed ${this.#seed}: ${name} ended twice`);
      this.#ended.set(name, how);
    }
  }

  #drain(): void {
    const taken = this.#parts.accumulator.drain(this.#below(400));
    for (const batch of taken) {
      const others = this.#flying.some(({ partition }) => partition === batch.partition);
      if (others) throw new Error(`seed ${this.#seed}: two batches of a partition in flight`);
    }
    this.#flying.push(...taken);
  }

  #endAny(): void {
    const [batch] = this.#flying.splice(this.#below(Math.max(1, this.#flying.length)), 1);
    if (batch === undefined) return;
    const dice = this.#below(10);
    if (dice < 6) this.#complete(batch);
    else if (dice < 9) this.#parts.accumulator.retry(batch);
    else this.#parts.accumulator.fail(batch, new Error('simulated'));
  }

  #complete(batch: Batch): void {
    for (const { name } of batch.records) {
      const number = Number(name.split(':')[1]);
      const last = this.#lastCompleted.get(batch.partition) ?? -1;
      if (number <= last) throw new Error(`seed ${this.#seed}: ${name} came after ${last}`);
      this.#lastCompleted.set(batch.partition, number);
    }
    this.#parts.accumulator.complete(batch);
  }

  #check(message: string): void {
    const { accumulator, pool } = this.#parts;
    const { inFlightBatches, queuedBatches, waitingAppends } = accumulator.stats();
    const { availableBytes, grantedBytes, heldByWaitersBytes, totalBytes, waiters } = pool.stats();
    const batches = inFlightBatches + queuedBatches;
    const isRight =
      inFlightBatches === this.#flying.length &&
      availableBytes + grantedBytes + heldByWaitersBytes === totalBytes &&
      grantedBytes >= batches * 100 &&
      (batches > 0 || grantedBytes === 0) &&
      // One request a partition, however many records wait.
      waiters <= Math.min(waitingAppends, PARTITIONS.length);
    if (!isRight) expect.fail(`${message}: ${JSON.stringify([accumulator.stats(), pool.stats()])}`);
  }

  #below(bound: number): number {
    return randomBelow(this.#random, bound);
  }
}
