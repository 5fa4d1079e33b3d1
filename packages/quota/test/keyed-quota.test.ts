import { ManualClock } from '@logloft/clock';
import {
  InvalidQuotaOptionError,
  KeyedQuota,
  QuotaClosedError,
  TooManyQuotaKeysError,
  WindowedQuota,
} from '@logloft/quota';
import { expect, test } from 'vitest';

function setUp(options: { maxKeys?: number } = {}): {
  clock: ManualClock;
  total: WindowedQuota;
  keys: KeyedQuota;
} {
  const clock = new ManualClock();
  const total = new WindowedQuota({ clock, limit: 10_000, samples: 5, windowSeconds: 1 });
  return { clock, total, keys: new KeyedQuota({ parent: total, limit: 1_000, ...options }) };
}

test('each key has its limit, and all together the total', () => {
  const { total, keys } = setUp();
  keys.forKey('a').record(2_000);
  expect([keys.forKey('a').isExceeded(), keys.forKey('b').isExceeded()]).toEqual([true, false]);
  expect(total.byteRate).toBe(2_000);
  keys.updateLimit(5_000);
  expect(keys.forKey('a').isExceeded()).toBe(false);
  expect(keys.forKey('c').limit).toBe(5_000);
});

test.each(['constructor', '__proto__', ''])('a key may be %j', (key) => {
  const { keys } = setUp();
  keys.forKey(key).record(5_000);
  expect([keys.forKey(key).isExceeded(), keys.size]).toEqual([true, 1]);
});

test('idle keys are dropped as others are asked for; those in use are kept', async () => {
  const { clock, total, keys } = setUp();
  const used = keys.forKey('used');
  const reservation = used.tryReserve(10);
  keys.forKey('busy').record(1);
  for (let round = 0; round < 100; round += 1) {
    for (let index = 0; index < 100; index += 1) keys.forKey(`${round}-${index}`).record(1);
    clock.advance(5_000);
    keys.forKey('busy').record(1);
  }
  expect(keys.size).toBeLessThan(250);
  expect(keys.forKey('used')).toBe(used);
  reservation?.settle(10);
  expect([total.reservedBytes, clock.pendingTimers]).toEqual([0, 0]);
  await keys.close();
  expect([keys.size, total.isClosed]).toEqual([0, false]);
  expect(() => keys.forKey('a')).toThrow(QuotaClosedError);
});

test('the number of keys is bounded, and a new one gets in when one is idle', () => {
  const { clock, keys } = setUp({ maxKeys: 3 });
  for (const key of ['a', 'b', 'c']) keys.forKey(key).record(1);
  expect(() => keys.forKey('d')).toThrow(TooManyQuotaKeysError);
  clock.advance(4_000);
  keys.forKey('a').record(1);
  keys.forKey('b').record(1);
  clock.advance(1_000);
  keys.forKey('d').record(1);
  expect(() => keys.forKey('c')).toThrow(/At most 3 keys/);
  expect(() => setUp({ maxKeys: 0 })).toThrow(InvalidQuotaOptionError);
});
