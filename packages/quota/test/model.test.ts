import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import {
  QuotaClosedError,
  QuotaTimeoutError,
  type Reservation,
  WindowedQuota,
} from '@logloft/quota';
import { expect, test } from 'vitest';
import { advance, promisesToRun } from './advance.ts';

const OPERATIONS = 100_000;

/** One quota of the tree with what its callers should see. */
class Line {
  readonly quota: WindowedQuota;
  /** Callers that wait, by number, in the order in which they came. */
  readonly waiting = new Map<number, AbortController>();
  readonly held = new Set<Reservation>();
  granted = 0;
  failed = 0;

  constructor(quota: WindowedQuota) {
    this.quota = quota;
  }
}

/** Drives a tree of quotas at random, and keeps its own books of who waits and what is reserved. */
class Model {
  readonly #random;
  readonly #clock = new ManualClock();
  readonly #total: WindowedQuota;
  readonly #lines: Line[];
  #asked = 0;
  #settled = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const clock = this.#clock;
    this.#total = new WindowedQuota({ clock, limit: 50_000, samples: 5, windowSeconds: 1 });
    const reads = this.#total.child({ priority: 1 });
    this.#lines = [
      this.#total,
      reads,
      this.#total.child({ weight: 3 }),
      reads.child({ limit: 5_000, maxHoldMs: 20_000, onHoldExpired: () => undefined }),
    ].map((quota) => new Line(quota));
  }

  async run(operations: number): Promise<void> {
    for (let done = 0; done < operations; done += 1) {
      this.#step();
      await promisesToRun();
      if (done % 16 === 0) await advance(this.#clock, randomBelow(this.#random, 200));
      if (done % 64 === 0) this.#check();
    }
    await this.#end();
  }

  #step(): void {
    const line = this.#pick(this.#lines);
    if (line === undefined) return;
    switch (randomBelow(this.#random, 10)) {
      case 0:
      case 1:
      case 2:
        this.#ask(line);
        return;
      case 3:
        this.#tryNow(line);
        return;
      case 4:
        this.#pick([...line.waiting.values()])?.abort(new Error('gone'));
        return;
      case 5:
        if (randomBelow(this.#random, 20) > 0) return;
        line.quota.updateLimit(5_000 * 10 ** randomBelow(this.#random, 3));
        return;
      default:
        this.#endOne(line);
    }
  }

  /** A caller that waits, may have a deadline, and is checked to go in its turn. */
  #ask(line: Line): void {
    const number = this.#asked;
    this.#asked += 1;
    const bytes = randomBelow(this.#random, 3_000);
    const controller = new AbortController();
    const timeoutMs = randomBelow(this.#random, 4) === 0 ? 1_000 : undefined;
    line.waiting.set(number, controller);
    line.quota.reserve(bytes, { signal: controller.signal, timeoutMs }).then(
      (reservation) => {
        expect(number).toBe(line.waiting.keys().next().value);
        line.waiting.delete(number);
        line.held.add(reservation);
        line.granted += 1;
      },
      (error: unknown) => {
        const isExpected =
          controller.signal.aborted ||
          error instanceof QuotaTimeoutError ||
          error instanceof QuotaClosedError;
        expect(isExpected, String(error)).toBe(true);
        line.waiting.delete(number);
        line.failed += 1;
      },
    );
  }

  #tryNow(line: Line): void {
    const reservation = line.quota.tryReserve(randomBelow(this.#random, 3_000));
    if (reservation !== undefined) line.held.add(reservation);
  }

  #endOne(line: Line): void {
    const reservation = this.#pick([...line.held].slice(0, 8));
    if (reservation === undefined) return;
    line.held.delete(reservation);
    if (randomBelow(this.#random, 4) === 0) {
      reservation.release();
      return;
    }
    reservation.settle(randomBelow(this.#random, 3_000));
    this.#settled += 1;
  }

  #check(): void {
    const [total, reads, copies, clients] = this.#lines.map(heldBytes);
    const inReads = (reads ?? 0) + (clients ?? 0);
    const expected = [(total ?? 0) + inReads + (copies ?? 0), inReads, copies, clients];
    expect(this.#lines.map(({ quota }) => quota.reservedBytes)).toEqual(expected);
  }

  async #end(): Promise<void> {
    for (const line of this.#lines) while (line.held.size > 0) this.#endOne(line);
    await advance(this.#clock, 0);
    for (const line of this.#lines) {
      for (const reservation of line.held) reservation.release();
      line.held.clear();
    }
    await this.#total.close();
    await advance(this.#clock, 0);
    // Those granted between the release and the close.
    for (const line of this.#lines) for (const reservation of line.held) reservation.release();
    const settled = this.#lines.reduce((sum, { granted, failed }) => sum + granted + failed, 0);
    expect(settled).toBe(this.#asked);
    expect(this.#lines.map(({ waiting }) => waiting.size)).toEqual([0, 0, 0, 0]);
    expect(this.#lines.map(({ quota }) => quota.reservedBytes)).toEqual([0, 0, 0, 0]);
    expect(this.#clock.pendingTimers).toBe(0);
    expect(this.#settled).toBeGreaterThan(1_000);
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[randomBelow(this.#random, Math.max(items.length, 1))];
  }
}

function heldBytes({ held }: Line): number {
  let bytes = 0;
  for (const reservation of held) if (!reservation.hasExpired) bytes += reservation.estimate;
  return bytes;
}

const seed = Number(
  process.env['LOGLOFT_TEST_SEED'] ?? randomBelow(seededRandom(Date.now()), 2 ** 31),
);

test(`a tree of quotas agrees with its model through ${OPERATIONS} random operations (seed ${seed})`, {
  timeout: 60_000,
}, async () => {
  const model = new Model(seed);
  await model.run(OPERATIONS);
});
