import { ManualClock } from '@logloft/clock';
import {
  InvalidQuotaOptionError,
  QuotaClosedError,
  QuotaQueueFullError,
  type Reservation,
  ReservationEndedError,
  WindowedQuota,
  type WindowedQuotaOptions,
} from '@logloft/quota';
import { describe, expect, test } from 'vitest';

const NAME = { sensor: 'test', group: 'test', description: 'a rate' };

function setUp(options: Partial<WindowedQuotaOptions> = {}): {
  clock: ManualClock;
  quota: WindowedQuota;
} {
  const clock = new ManualClock();
  const base = { clock, name: NAME, limit: 1_000, samples: 11, windowSeconds: 1 };
  return { clock, quota: new WindowedQuota({ ...base, ...options }) };
}

/** Waits for the quota and notes who got through, in order. */
function waiting(
  quota: WindowedQuota,
  names: readonly string[],
  signal?: AbortSignal,
): { readonly order: string[]; readonly promises: readonly Promise<Reservation>[] } {
  const order: string[] = [];
  const promises = names.map(async (name) => {
    const reservation = await quota.reserve(500, { signal });
    order.push(name);
    return reservation;
  });
  return { order, promises };
}

describe('callers side by side', () => {
  test('two writers never pass one gate together', () => {
    const { quota } = setUp();
    expect(quota.isExceeded()).toBe(false);
    const first = quota.tryReserve(5_000);
    const second = quota.tryReserve(5_000);
    expect([first === undefined, second === undefined]).toEqual([false, true]);
    expect(quota.isExceeded()).toBe(true);
  });

  test('twenty copies against a quota for one pass one at a time, and failures leak no byte', async () => {
    const { clock, quota } = setUp({ samples: 2 });
    let running = 0;
    let most = 0;
    const copies = Array.from({ length: 20 }, async (_, index) => {
      const reservation = await quota.reserve(4_000);
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => clock.setTimer(10, resolve));
      running -= 1;
      if (index % 2 === 0) reservation.settle(4_000);
      else reservation.release();
    });
    await clock.advanceAsync(60_000);
    await Promise.all(copies);
    expect(most).toBe(1);
    expect(quota.reservedBytes).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test('a reservation counts until it is settled, however long that takes', async () => {
    const { clock, quota } = setUp();
    const reservation = quota.tryReserve(50_000);
    clock.advance(10 * 60_000);
    expect(quota.tryReserve(1)).toBeUndefined();
    reservation?.release();
    expect(quota.tryReserve(1)).toBeDefined();
  });
});

describe('settling', () => {
  test('the window holds the actual bytes, more or fewer than were estimated', () => {
    const { quota } = setUp();
    quota.tryReserve(100)?.settle(900);
    expect([quota.reservedBytes, quota.byteRate]).toEqual([0, 900]);
    quota.tryReserve(5_000)?.settle(50);
    expect([quota.reservedBytes, quota.byteRate]).toEqual([0, 950]);
  });

  test('a released reservation leaves nothing behind', () => {
    const { quota } = setUp();
    const reservation = quota.tryReserve(5_000);
    reservation?.release();
    reservation?.release();
    expect([quota.reservedBytes, quota.byteRate]).toEqual([0, 0]);
  });

  test('settling twice is an error, releasing after settling is not', () => {
    const { quota } = setUp();
    const reservation = quota.tryReserve(10);
    reservation?.settle(10);
    expect(() => reservation?.settle(10)).toThrow(ReservationEndedError);
    reservation?.release();
    expect(reservation?.hasEnded).toBe(true);
    expect(quota.byteRate).toBe(10);
  });

  test('leaving the scope of a reservation releases it', () => {
    const { quota } = setUp();
    {
      using reservation = quota.tryReserve(10);
      expect(reservation?.estimate).toBe(10);
      expect(quota.reservedBytes).toBe(10);
    }
    expect(quota.reservedBytes).toBe(0);
  });
});

describe('waiting', () => {
  test('callers get through in the order in which they came', async () => {
    const { clock, quota } = setUp();
    quota.record(2_000);
    const names = Array.from({ length: 100 }, (_, index) => `w${index}`);
    const { order, promises } = waiting(quota, names);
    for (const promise of promises) void promise.then((reservation) => reservation.settle(500));
    await clock.advanceAsync(100_000);
    expect(order).toEqual(names);
  });

  test('a newcomer does not overtake those who wait', async () => {
    const { clock, quota } = setUp();
    quota.record(2_000);
    const { order } = waiting(quota, ['first']);
    expect(quota.tryReserve(1)).toBeUndefined();
    await clock.advanceAsync(2_000);
    expect(order).toEqual(['first']);
  });

  test('the head goes on at the first ms at which the quota is not exceeded', async () => {
    const { clock, quota } = setUp();
    quota.record(2_345);
    const { order } = waiting(quota, ['a']);
    await clock.advanceAsync(2_344);
    expect(order).toEqual([]);
    await clock.advanceAsync(1);
    expect(order).toEqual(['a']);
  });

  test('what is older than the window is forgotten at the ms at which it leaves', async () => {
    const { clock, quota } = setUp();
    quota.record(1_000_000);
    const { order } = waiting(quota, ['a']);
    await clock.advanceAsync(10_999);
    expect(order).toEqual([]);
    await clock.advanceAsync(1);
    expect(order).toEqual(['a']);
  });

  test('raising the limit wakes at once, lowering it holds at once', async () => {
    const { clock, quota } = setUp();
    quota.record(5_000);
    const { order } = waiting(quota, ['a', 'b']);
    quota.updateLimit(5_000);
    await clock.advanceAsync(0);
    expect(order).toEqual(['a']);
    quota.updateLimit(10);
    await clock.advanceAsync(9_000);
    expect(order).toEqual(['a']);
    quota.updateLimit(Number.POSITIVE_INFINITY);
    await clock.advanceAsync(0);
    expect(order).toEqual(['a', 'b']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('releasing what blocks the head lets it go on at once', async () => {
    const { clock, quota } = setUp();
    const blocking = quota.tryReserve(100_000);
    const { order } = waiting(quota, ['a']);
    await clock.advanceAsync(60_000);
    expect(order).toEqual([]);
    blocking?.release();
    await clock.advanceAsync(0);
    expect(order).toEqual(['a']);
  });

  test('a limit of 0 admits one piece, then nothing until it has left the window', async () => {
    const { clock, quota } = setUp({ limit: 0 });
    quota.tryReserve(10)?.settle(10);
    const { order } = waiting(quota, ['a']);
    await clock.advanceAsync(10_999);
    expect(order).toEqual([]);
    await clock.advanceAsync(1);
    expect(order).toEqual(['a']);
  });
});

describe('aborting', () => {
  test('an aborted caller takes nothing, is rejected with the reason and leaves no listener', async () => {
    const { clock, quota } = setUp();
    quota.record(2_000);
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const promise = quota.reserve(500, { signal: controller.signal });
    controller.abort(reason);
    await expect(promise).rejects.toBe(reason);
    expect([quota.waiting, quota.reservedBytes, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  test('a signal that is aborted already admits nothing', async () => {
    const { quota } = setUp();
    const reason = new Error('too late');
    const promise = quota.reserve(1, { signal: AbortSignal.abort(reason) });
    await expect(promise).rejects.toBe(reason);
    expect(quota.reservedBytes).toBe(0);
  });

  test('when ten of eleven abort, the eleventh goes on as if it had been alone', async () => {
    const { clock, quota } = setUp();
    quota.record(2_000);
    const controller = new AbortController();
    const ten = waiting(
      quota,
      Array.from({ length: 10 }, (_, index) => `w${index}`),
      controller.signal,
    );
    const last = waiting(quota, ['last']);
    controller.abort();
    await Promise.allSettled(ten.promises);
    await clock.advanceAsync(2_000);
    expect([...ten.order, ...last.order]).toEqual(['last']);
  });

  test('an abort after the grant does not touch the quota', async () => {
    const { clock, quota } = setUp();
    quota.record(2_000);
    const controller = new AbortController();
    const { promises } = waiting(quota, ['a'], controller.signal);
    await clock.advanceAsync(2_000);
    controller.abort();
    expect(quota.reservedBytes).toBe(500);
    for (const promise of promises) (await promise).settle(500);
    expect(quota.reservedBytes).toBe(0);
  });

  test('half of 800 waiting callers abort and the others all get through in order', async () => {
    const { clock, quota } = setUp();
    quota.record(2_000);
    const controller = new AbortController();
    const order: number[] = [];
    const kept: Promise<void>[] = [];
    const dropped: Promise<Reservation>[] = [];
    for (let index = 0; index < 800; index += 1) {
      if (index % 2 === 0) {
        dropped.push(quota.reserve(1, { signal: controller.signal }));
        continue;
      }
      const passing = quota.reserve(1).then((reservation) => {
        order.push(index);
        reservation.settle(1);
      });
      kept.push(passing);
    }
    controller.abort();
    const outcomes = await Promise.allSettled(dropped);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    await clock.advanceAsync(10_000);
    await Promise.all(kept);
    expect(order).toEqual(Array.from({ length: 400 }, (_, index) => 2 * index + 1));
  });
});

describe('bounds and ends', () => {
  test('the queue is bounded', async () => {
    const { quota } = setUp({ maxWaiters: 2 });
    quota.record(2_000);
    const { promises } = waiting(quota, ['a', 'b']);
    await expect(quota.reserve(1)).rejects.toThrow(QuotaQueueFullError);
    await quota.close();
    await Promise.allSettled(promises);
  });

  test('closing rejects all who wait, ends the timer and frees the name; it may be repeated', async () => {
    const { clock, quota } = setUp();
    quota.record(2_000);
    const { promises } = waiting(quota, ['a', 'b']);
    expect(clock.pendingTimers).toBe(1);
    await quota.close();
    await quota.close();
    for (const promise of promises) await expect(promise).rejects.toThrow(QuotaClosedError);
    expect(clock.pendingTimers).toBe(0);
    expect(() => quota.tryReserve(1)).toThrow(QuotaClosedError);
    await expect(quota.reserve(1)).rejects.toThrow(QuotaClosedError);
  });

  test('a reservation may end after the quota was closed', async () => {
    const { quota } = setUp();
    const reservation = quota.tryReserve(10);
    await quota.close();
    reservation?.settle(10);
    expect(quota.reservedBytes).toBe(0);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('an estimate of %d is refused', async (estimate) => {
    const { quota } = setUp();
    expect(() => quota.tryReserve(estimate)).toThrow(InvalidQuotaOptionError);
    await expect(quota.reserve(estimate)).rejects.toThrow(InvalidQuotaOptionError);
  });

  test('an idle quota has no timer, were there a hundred thousand of them', () => {
    const { clock } = setUp();
    for (let index = 0; index < 100_000; index += 1) {
      new WindowedQuota({ clock, name: NAME, limit: 1, samples: 11, windowSeconds: 1 }).record(5);
    }
    expect(clock.pendingTimers).toBe(0);
  });
});
