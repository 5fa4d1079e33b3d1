import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import {
  ByteLimit,
  InvalidQuotaOptionError,
  QuotaNameTakenError,
  WindowedQuota,
} from '@logloft/quota';
import { expect, test } from 'vitest';

const OPTIONS = {
  name: { sensor: 'test', group: 'test-group', description: 'a rate', tags: { kind: 'x' } },
  limit: 1_000,
  samples: 11,
  windowSeconds: 1,
};

test('exactly at the limit a quota is not exceeded, a byte above it is', () => {
  const quota = new WindowedQuota({ ...OPTIONS, clock: new ManualClock() });
  quota.record(1_000);
  expect(quota.isExceeded()).toBe(false);
  quota.record(1);
  expect(quota.isExceeded()).toBe(true);
  expect(quota.throttleTimeMs()).toBe(1);
});

test.each([3_600_000, -3_600_000])('setting the wall clock by %i ms changes nothing', (jumpMs) => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const quota = new WindowedQuota({ ...OPTIONS, clock, metrics });
  quota.record(5_000);
  clock.advance(1_500);
  clock.setWallTime(clock.now() + jumpMs);
  // A reporter reads at wall-clock time; that must not make the quota forget either.
  const shown = [...metrics.snapshot()].find(({ name }) => name.name === 'byte-rate')?.value;
  expect(shown).toBe(5_000 / 1.5);
  expect([quota.isExceeded(), quota.throttleTimeMs()]).toEqual([true, 3_500]);
  clock.advance(3_500);
  expect(quota.isExceeded()).toBe(false);
});

test('the rate is shown in the registry with the limit as its bound, and follows updates', () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const quota = new WindowedQuota({ ...OPTIONS, clock, metrics });
  quota.record(300);
  const { group, tags } = OPTIONS.name;
  const metric = metrics.metric(metrics.metricName({ name: 'byte-rate', group, tags }));
  expect(metric?.value()).toBe(300);
  expect(metric?.config.quota?.bound).toBe(1_000);
  quota.updateLimit(ByteLimit.of(7));
  expect(metric?.config.quota?.bound).toBe(7);
  expect(quota.limit).toBe(7);
});

test('removing the sensor does not lift the quota; it is shown again at the next use', () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const quota = new WindowedQuota({ ...OPTIONS, clock, metrics });
  quota.record(5_000);
  metrics.removeSensor('test');
  expect(quota.isExceeded()).toBe(true);
  expect(metrics.getSensor('test')).toBeDefined();
});

test('after an hour without a record the history is gone with the sensor, as in Kafka', () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const quota = new WindowedQuota({ ...OPTIONS, samples: 5_000, clock, metrics });
  quota.record(50_000_000);
  clock.advance(3_600_001);
  metrics.expireSensors();
  expect(metrics.getSensor('test')).toBeUndefined();
  expect(quota.isExceeded()).toBe(false);
});

test('two quotas of one sensor name in one registry are refused, and closing frees the name', async () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const first = new WindowedQuota({ ...OPTIONS, clock, metrics });
  expect(() => new WindowedQuota({ ...OPTIONS, clock, metrics })).toThrow(QuotaNameTakenError);
  await first.close();
  const second = new WindowedQuota({ ...OPTIONS, clock, metrics });
  second.record(400);
  // The closed one still counts for those who hold it, but shows nothing any more.
  first.record(100);
  expect([first.byteRate, second.byteRate]).toEqual([100, 400]);
});

test('the status tells all at once', () => {
  const quota = new WindowedQuota({ ...OPTIONS, clock: new ManualClock() });
  quota.tryReserve(3_000);
  expect(quota.status()).toEqual({
    limit: 1_000,
    byteRate: 0,
    windowMs: 1_000,
    reservedBytes: 3_000,
    waiting: 0,
    isExceeded: true,
  });
});

test.each([
  [{ samples: 0 }, /samples must be an integer from 1, got 0/],
  [{ windowSeconds: 1.5 }, /windowSeconds must be an integer from 1, got 1.5/],
  [{ limit: -1 }, /limit must be at least 0/],
  [{ limit: Number.NaN }, /limit must be at least 0/],
  [{ maxWaiters: -1 }, /maxWaiters must be an integer from 0/],
])('options out of range are refused by name: %j', (wrong, message) => {
  const make = (): unknown => new WindowedQuota({ ...OPTIONS, ...wrong, clock: new ManualClock() });
  expect(make).toThrow(InvalidQuotaOptionError);
  expect(make).toThrow(message);
});
