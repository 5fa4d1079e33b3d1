import { ManualClock } from '@logloft/clock';
import {
  ByteLimit,
  BytePacer,
  InvalidQuotaOptionError,
  QuotaClosedError,
  ReadQuotaManager,
  type Reservation,
  WindowedQuota,
  WriteQuotaManager,
} from '@logloft/quota';
import { describe, expect, test } from 'vitest';
import { advance } from './advance.ts';

function setUp(limit = 1_000): { clock: ManualClock; total: WindowedQuota } {
  const clock = new ManualClock();
  return { clock, total: new WindowedQuota({ clock, limit, samples: 11, windowSeconds: 1 }) };
}

/** A caller that reserves and settles `bytes` again and again, and counts what it got. */
class Worker {
  got = 0;
  readonly #quota: WindowedQuota;
  readonly #bytes: number;
  readonly #signal: AbortSignal;

  constructor(quota: WindowedQuota, bytes: number, signal: AbortSignal) {
    this.#quota = quota;
    this.#bytes = bytes;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const reservation = await this.#quota.reserve(this.#bytes, { signal: this.#signal });
      this.got += this.#bytes;
      reservation.settle(this.#bytes);
    }
  }
}

async function runFor(
  clock: ManualClock,
  ms: number,
  makeWorkers: (signal: AbortSignal) => readonly Worker[],
): Promise<readonly number[]> {
  const controller = new AbortController();
  const workers = makeWorkers(controller.signal);
  const work = workers.map((worker) => worker.run());
  await advance(clock, ms);
  controller.abort();
  await Promise.allSettled(work);
  return workers.map(({ got }) => got);
}

describe('children of a windowed quota', () => {
  test('keep the total together, and each its own limit', () => {
    const { total } = setUp();
    const a = total.child({ limit: 300 });
    const b = total.child();
    a.record(200);
    expect([a.isExceeded(), b.isExceeded(), total.isExceeded()]).toEqual([false, false, false]);
    a.record(200);
    expect([a.isExceeded(), b.isExceeded(), total.isExceeded()]).toEqual([true, false, false]);
    const held = b.tryReserve(700);
    expect([a.isExceeded(), b.isExceeded(), total.isExceeded()]).toEqual([true, true, true]);
    expect([a.reservedBytes, b.reservedBytes, total.reservedBytes]).toEqual([0, 700, 700]);
    held?.settle(100);
    expect([b.byteRate, total.byteRate, total.reservedBytes]).toEqual([100, 500, 0]);
    expect([a.throttleTimeMs(), b.throttleTimeMs()]).toEqual([333, 0]);
  });

  test('get on by priority while they wait: reads before copies', async () => {
    const { clock, total } = setUp();
    total.record(2_000);
    const copies = total.child({ priority: 0 });
    const reads = total.child({ priority: 1 });
    const order: string[] = [];
    const wait = async (quota: WindowedQuota, name: string): Promise<void> => {
      const reservation = await quota.reserve(800);
      order.push(name);
      reservation.settle(800);
    };
    const work = ['copy-1', 'copy-2'].map((name) => wait(copies, name));
    work.push(...['read-1', 'read-2'].map((name) => wait(reads, name)));
    await clock.advanceAsync(30_000);
    await Promise.all(work);
    expect(order).toEqual(['read-1', 'read-2', 'copy-1', 'copy-2']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('get bytes in proportion to their weights, whatever the sizes they ask for', async () => {
    const { clock, total } = setUp(10_000);
    const [light = 0, heavy = 0] = await runFor(clock, 600_000, (signal) => [
      new Worker(total.child({ weight: 1 }), 5_000, signal),
      new Worker(total.child({ weight: 3 }), 700, signal),
    ]);
    expect(heavy / light).toBeGreaterThan(2.8);
    expect(heavy / light).toBeLessThan(3.2);
    expect((light + heavy) / 600).toBeGreaterThan(9_000);
  });

  test('a child at its own limit leaves the rest to the others, and idle time is not saved up', async () => {
    const { clock, total } = setUp(10_000);
    const idle = total.child();
    const [held = 0, free = 0] = await runFor(clock, 120_000, (signal) => [
      new Worker(total.child({ limit: 1_000 }), 500, signal),
      new Worker(total.child(), 500, signal),
    ]);
    expect(held / 120).toBeLessThan(1_150);
    expect(free / 120).toBeGreaterThan(8_000);
    const [late = 0, other = 0] = await runFor(clock, 60_000, (signal) => [
      new Worker(idle, 500, signal),
      new Worker(total.child(), 500, signal),
    ]);
    expect(late / other).toBeCloseTo(1, 1);
  });

  test('nest, and what waits in a grandchild is woken by its own limit, its parent and the total', async () => {
    const { clock, total } = setUp();
    const tenant = total.child({ limit: 500 });
    const user = tenant.child({ limit: 100 });
    user.record(1_000);
    let reservation: Reservation | undefined;
    const waiting = user.reserve(1).then((granted) => {
      reservation = granted;
    });
    await clock.advanceAsync(9_000);
    expect([total.waiting, tenant.waiting, user.waiting]).toEqual([1, 1, 1]);
    user.updateLimit(1_000);
    await clock.advanceAsync(0);
    expect(reservation?.estimate).toBe(1);
    await waiting;
    tenant.updateLimit(10);
    const next = user.reserve(1);
    tenant.updateLimit(1_000);
    await next;
    expect([total.reservedBytes, clock.pendingTimers]).toEqual([2, 0]);
  });

  test.each([
    ['a tenth', 0.1, 0],
    ['ten times', 10, 40],
  ])('%s of the limit is felt at once by those who wait', async (_words, factor, passed) => {
    const { clock, total } = setUp(10_000);
    const children = [total.child({ weight: 2 }), total.child()];
    total.record(95_000);
    let got = 0;
    const waits = Array.from({ length: 40 }, async (_, index) => {
      const reservation = await children[index % 2]?.reserve(100);
      got += 1;
      reservation?.settle(100);
    });
    await clock.advanceAsync(9_000);
    expect(got).toBe(0);
    total.updateLimit(10_000 * factor);
    await clock.advanceAsync(1_000);
    expect(got).toBe(passed);
    await total.close();
    await Promise.allSettled(waits);
    expect(clock.pendingTimers).toBe(0);
  });

  test('closing a child rejects its callers alone, closing the total all', async () => {
    const { clock, total } = setUp();
    total.record(100_000);
    const [a, b] = [total.child(), total.child()];
    const [waitA, waitB] = [a.reserve(1), b.reserve(1)];
    await a.close();
    await expect(waitA).rejects.toThrow(QuotaClosedError);
    expect([total.waiting, b.isClosed]).toEqual([1, false]);
    await total.close();
    await expect(waitB).rejects.toThrow(QuotaClosedError);
    expect([b.isClosed, total.waiting, clock.pendingTimers]).toEqual([true, 0, 0]);
    expect(() => total.child()).toThrow(QuotaClosedError);
  });

  test.each([{ weight: 0 }, { weight: Number.NaN }, { priority: 0.5 }, { maxHoldMs: 0 }])(
    'refuse %j',
    (wrong) => {
      const { total } = setUp();
      expect(() => total.child(wrong)).toThrow(InvalidQuotaOptionError);
    },
  );
});

describe('children of a pacer', () => {
  test('keep the total, go by priority, and have slices that fit the least limit above', async () => {
    const clock = new ManualClock();
    const total = new BytePacer({ clock, limit: 10_000 });
    const reads = total.child({ priority: 1 });
    const copies = total.child({ limit: 1_000_000 });
    expect([reads.sliceBytes, copies.sliceBytes, total.children]).toEqual([50, 50, 2]);
    const order: string[] = [];
    await copies.take(1_000);
    const work = [copies, reads, reads, copies].map(async (pacer, index) => {
      await pacer.take(50);
      order.push(pacer === reads ? `read-${index}` : `copy-${index}`);
    });
    await advance(clock, 1_000);
    await Promise.all(work);
    expect(order).toEqual(['read-1', 'read-2', 'copy-0', 'copy-3']);
  });

  test('feel a limit of their own that is changed, and close with the total', async () => {
    const clock = new ManualClock();
    const total = new BytePacer({ clock, limit: 1_000_000 });
    const child = total.child({ limit: 10 });
    await child.take(100);
    const waiting = child.take(1);
    child.updateLimit(ByteLimit.unlimited);
    await advance(clock, 1);
    await waiting;
    child.updateLimit(1);
    await child.take(10_000);
    const held = child.take(1);
    await total.close();
    await expect(held).rejects.toThrow(QuotaClosedError);
    expect([child.isClosed, total.children, clock.pendingTimers]).toEqual([true, 0, 0]);
  });
});

describe('the managers under one total', () => {
  test('reads go before copies, and together they keep the total', async () => {
    const { clock, total } = setUp(1_000);
    const writes = new WriteQuotaManager({ clock, parent: total, exhausted: 'wait' });
    const reads = new ReadQuotaManager({ clock, parent: total, priority: 1 });
    const read = reads.tryAdmit(5_000);
    let isCopying = false;
    const copy = writes.admit({ writer: '0', bytes: 700 }).then((permit) => {
      isCopying = true;
      permit?.settle(700);
    });
    read?.settle(3_000);
    expect([reads.isExceeded(), writes.isExceeded('0')]).toEqual([true, true]);
    await clock.advanceAsync(2_999);
    expect(isCopying).toBe(false);
    await clock.advanceAsync(1);
    await copy;
    expect(total.status()).toMatchObject({ reservedBytes: 0, waiting: 0 });
    expect(total.byteRate).toBeCloseTo(3_700 / 3);
  });

  test.each(['broker', 'writer'] as const)(
    'in the scope %s each byte counts once in each window',
    async (scope) => {
      const { clock, total } = setUp(1_000_000);
      const limit = ByteLimit.of(1_000);
      const writes = new WriteQuotaManager({ clock, parent: total, limit, scope });
      (await writes.admit({ writer: 'a', bytes: 300 }))?.settle(300);
      writes.record('b', 200);
      const rates = [...writes.writerStatuses().values()].map(({ byteRate }) => byteRate);
      expect([...rates, writes.brokerStatus().byteRate, total.byteRate]).toEqual([
        300, 200, 500, 500,
      ]);
      const permit = await writes.admit({ writer: 'a', bytes: 5_000 });
      expect([total.reservedBytes, writes.brokerStatus().reservedBytes]).toEqual([5_000, 5_000]);
      expect(await writes.admit({ writer: 'a', bytes: 1 })).toBeUndefined();
      expect((await writes.admit({ writer: 'b', bytes: 1 })) === undefined).toBe(
        scope === 'broker',
      );
      permit?.release();
    },
  );
});
