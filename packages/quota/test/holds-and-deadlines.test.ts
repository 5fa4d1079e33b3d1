import { ManualClock } from '@logloft/clock';
import {
  BytePacer,
  type ExpiredHold,
  InvalidQuotaOptionError,
  QuotaTimeoutError,
  ReservationEndedError,
  WindowedQuota,
  WriteQuotaManager,
} from '@logloft/quota';
import { describe, expect, test, vi } from 'vitest';

const NAME = { sensor: 'uploads', group: 'uploads', description: 'a rate' };

function setUp(): {
  clock: ManualClock;
  quota: WindowedQuota;
  expired: ExpiredHold[];
} {
  const clock = new ManualClock();
  const expired: ExpiredHold[] = [];
  const quota = new WindowedQuota({
    clock,
    name: NAME,
    limit: 1_000,
    samples: 11,
    windowSeconds: 1,
    maxHoldMs: 5_000,
    onHoldExpired: (hold) => void expired.push(hold),
  });
  return { clock, quota, expired };
}

describe('a reservation with a maximum', () => {
  test('that nobody ends is given back and reported, and the next goes on', async () => {
    const { clock, quota, expired } = setUp();
    const lost = quota.tryReserve(9_000);
    let isOn = false;
    const next = quota.reserve(10).then((reservation) => {
      isOn = true;
      reservation.settle(10);
    });
    await clock.advanceAsync(4_999);
    expect([isOn, expired]).toEqual([false, []]);
    await clock.advanceAsync(1);
    await next;
    expect([isOn, expired]).toEqual([true, [{ quota: 'uploads', estimate: 9_000, heldMs: 5_000 }]]);
    expect([lost?.hasExpired, lost?.hasEnded, quota.reservedBytes]).toEqual([true, false, 0]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('counts what was moved when it is settled late, once, and nothing when released', () => {
    const { clock, quota } = setUp();
    const [late, dropped] = [quota.tryReserve(700), quota.tryReserve(100)];
    clock.advance(5_000);
    late?.settle(800);
    dropped?.release();
    expect([quota.reservedBytes, quota.byteRate]).toEqual([0, 800 / 5]);
    expect(() => late?.settle(800)).toThrow(ReservationEndedError);
    expect(late?.hasExpired).toBe(false);
  });

  test('that is ended in time leaves no timer, and each has a deadline of its own', () => {
    const { clock, quota, expired } = setUp();
    const first = quota.tryReserve(100);
    clock.advance(2_000);
    const second = quota.tryReserve(200);
    expect(clock.pendingTimers).toBe(1);
    first?.settle(100);
    clock.advance(4_999);
    expect(expired).toEqual([]);
    clock.advance(1);
    expect(expired.map(({ estimate }) => estimate)).toEqual([200]);
    quota.tryReserve(1)?.release();
    second?.release();
    expect([quota.reservedBytes, clock.pendingTimers]).toEqual([0, 0]);
  });

  test('in a child gives back what it holds in all quotas above, by the rule of the parent', () => {
    const { clock, quota, expired } = setUp();
    const child = quota.child();
    child.tryReserve(300);
    expect([child.reservedBytes, quota.reservedBytes]).toEqual([300, 300]);
    clock.advance(5_000);
    expect([child.reservedBytes, quota.reservedBytes]).toEqual([0, 0]);
    expect(expired).toEqual([{ quota: '', estimate: 300, heldMs: 5_000 }]);
  });

  test('is warned of by the process unless somebody else is told', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const clock = new ManualClock();
    const manager = new WriteQuotaManager({ clock, maxHoldMs: 1_000 });
    await manager.admit({ writer: '0', bytes: 77 });
    clock.advance(1_000);
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/'RLMCopy' of 77 bytes must be settled.*held for 1000 ms/),
      expect.objectContaining({ code: 'LOGLOFT_QUOTA_HOLD_EXPIRED' }),
    );
    expect(manager.brokerStatus().reservedBytes).toBe(0);
  });

  test('a listener that throws loses neither the bytes nor the deadlines of others', () => {
    const clock = new ManualClock();
    const options = { clock, limit: 1_000_000, samples: 11, windowSeconds: 1, maxHoldMs: 100 };
    const fail = (): never => {
      throw new Error('from the listener');
    };
    const quota = new WindowedQuota({ ...options, onHoldExpired: fail });
    quota.tryReserve(1);
    quota.tryReserve(2);
    expect(() => clock.advance(100)).toThrow('from the listener');
    expect(() => clock.advance(1)).toThrow('from the listener');
    expect([quota.reservedBytes, clock.pendingTimers]).toEqual([0, 0]);
  });
});

describe('a caller with a deadline', () => {
  test('is rejected when its time is up, takes nothing, and those behind it go on', async () => {
    const { clock, quota } = setUp();
    quota.record(2_000);
    const impatient = quota.reserve(500, { timeoutMs: 1_500 });
    const patient = quota.reserve(500, { timeoutMs: Number.POSITIVE_INFINITY });
    const rejected = expect(impatient).rejects.toThrow(QuotaTimeoutError);
    await clock.advanceAsync(1_500);
    await rejected;
    expect([quota.waiting, quota.reservedBytes]).toEqual([1, 0]);
    await clock.advanceAsync(500);
    (await patient).release();
    expect(clock.pendingTimers).toBe(0);
  });

  test('that gets through in time leaves no timer, nor does one that aborts or is closed', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 1_000 });
    await pacer.take(100);
    const controller = new AbortController();
    const first = pacer.take(1, { timeoutMs: 10_000 });
    const second = pacer.take(1_000, { timeoutMs: 10_000, signal: controller.signal });
    const third = pacer.take(1, { timeoutMs: 10_000 });
    await clock.advanceAsync(100);
    await first;
    controller.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    const closed = expect(third).rejects.toThrow(/closed/);
    await pacer.close();
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([-1, Number.NaN])('of %d ms is refused', async (timeoutMs) => {
    const { quota } = setUp();
    await expect(quota.reserve(1, { timeoutMs })).rejects.toThrow(InvalidQuotaOptionError);
  });
});
