import { ByteLimit, InvalidQuotaOptionError } from '@logloft/quota';
import {
  type LabPolicy,
  type LabReport,
  type LabResult,
  type LabScenario,
  simulateQuota,
} from '@logloft/quota/lab';
import { describe, expect, test } from 'vitest';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** The scenario of the README. */
const STORY: LabScenario = {
  backlogBytes: 200 * GIB,
  segmentBytes: GIB,
  limit: ByteLimit.of(50 * MIB),
  writers: 4,
};

const SMALL: LabScenario = {
  backlogBytes: 10_050,
  segmentBytes: 100,
  limit: ByteLimit.of(20),
  writers: 3,
  uploadBytesPerSecond: 50,
};

function byPolicy(report: LabReport, policy: LabPolicy): LabResult {
  const result = report.results.find((one) => one.policy === policy);
  if (result === undefined) throw new Error(`no result for ${policy}`);
  return result;
}

test('the story of the KIP: no quota floods the store, pace keeps the limit, windows stay below it', async () => {
  const report = await simulateQuota(STORY);
  const [none, abort, wait, pace] = report.results;
  expect(report.results.map(({ policy }) => policy)).toEqual(['none', 'abort', 'wait', 'pace']);
  expect(none?.drainedAtMs).toBe(512_000);
  expect(none?.mostInASecond).toBe(400 * MIB);
  expect(pace?.drainedAtMs).toBeGreaterThan(4_090_000);
  expect(pace?.drainedAtMs).toBeLessThan(4_110_000);
  expect(pace?.mostInASecond).toBeLessThan(52 * MIB);
  expect(wait?.averageBytesPerSecond).toBeGreaterThan(40 * MIB);
  expect(wait?.averageBytesPerSecond).toBeLessThan(50 * MIB);
  expect(abort?.averageBytesPerSecond).toBeLessThan(wait?.averageBytesPerSecond ?? 0);
  expect([none?.refusals, wait?.refusals, pace?.refusals]).toEqual([0, 0, 0]);
  expect(abort?.refusals).toBeGreaterThan(100);
  for (const { copiedBytes } of report.results) expect(copiedBytes).toBe(200 * GIB);
});

test('the same scenario gives the same report', async () => {
  const [first, second] = [await simulateQuota(SMALL), await simulateQuota(SMALL)];
  expect(JSON.stringify(second)).toBe(JSON.stringify(first));
});

describe('the flow of the draft with one writer agrees with the figures known for it', () => {
  test.each([
    [10, 100, 50, 5.9],
    [10, 1_000, 100, 10],
    [50, 1_000, 100, 40],
    [90, 1_000, 100, 56.9],
  ])(
    'limit %i MB/s, segments of %i MB, sent at %i MB/s: %f MB/s',
    async (limit, segment, speed, rate) => {
      const report = await simulateQuota({
        backlogBytes: 1e13,
        segmentBytes: segment * 1e6,
        limit: ByteLimit.of(limit * 1e6),
        writers: 1,
        uploadBytesPerSecond: speed * 1e6,
        policies: ['abort'],
        maxMs: 6 * 3_600_000,
      });
      expect(byPolicy(report, 'abort').averageBytesPerSecond / 1e6).toBeCloseTo(rate, 0);
    },
  );
});

describe('a series', () => {
  test('adds up to what was copied, and the backlog ends at nothing', async () => {
    const report = await simulateQuota(SMALL);
    for (const { points, copiedBytes, drainedAtMs } of report.results) {
      const sum = points.reduce(
        (total, { bytesPerSecond }) => total + (bytesPerSecond * report.stepMs) / 1000,
        0,
      );
      expect(sum).toBeCloseTo(copiedBytes, 3);
      expect(copiedBytes).toBe(10_050);
      expect(points.at(-1)?.backlogBytes).toBeCloseTo(0, 3);
      expect(points.length).toBe(Math.ceil((drainedAtMs ?? 0) / report.stepMs));
    }
  });

  test('shows the limit that was in force, also one that was changed under way', async () => {
    const report = await simulateQuota({
      ...SMALL,
      limitChanges: [
        { atMs: 200_000, limit: ByteLimit.of(50) },
        { atMs: 100_000, limit: ByteLimit.of(5) },
      ],
      policies: ['pace'],
      points: 50,
    });
    const { points } = byPolicy(report, 'pace');
    const during = (fromMs: number, toMs: number): LabResult['points'] =>
      points.filter(({ atMs }) => atMs >= fromMs && atMs + report.stepMs <= toMs);
    expect(new Set(during(0, 100_000).map(({ limit }) => limit))).toEqual(new Set([20]));
    expect(new Set(during(100_000, 200_000).map(({ limit }) => limit))).toEqual(new Set([5]));
    expect(points.at(-1)?.limit).toBe(50);
    const slow = during(110_000, 200_000).map(({ bytesPerSecond }) => bytesPerSecond);
    expect(slow.reduce((sum, rate) => sum + rate, 0) / slow.length).toBeCloseTo(5, 0);
  });
});

test('producers that add more than the limit lets through are never caught up with', async () => {
  const report = await simulateQuota({
    ...SMALL,
    backlogBytes: 1_000,
    ingestBytesPerSecond: 40,
    policies: ['none', 'pace'],
    maxMs: 600_000,
  });
  const pace = byPolicy(report, 'pace');
  expect(pace.drainedAtMs).toBeUndefined();
  expect(pace.averageBytesPerSecond).toBeCloseTo(20, 0);
  expect(pace.points.at(-1)?.backlogBytes).toBeGreaterThan(10_000);
  expect(byPolicy(report, 'none').drainedAtMs).toBeLessThan(60_000);
});

test('each writer has the limit in the scope of a writer', async () => {
  const report = await simulateQuota({ ...SMALL, scope: 'writer', policies: ['pace'] });
  expect(byPolicy(report, 'pace').averageBytesPerSecond).toBeGreaterThan(55);
});

test('more partitions than writers take turns', async () => {
  const report = await simulateQuota({ ...SMALL, partitions: 17, writers: 2, policies: ['none'] });
  const none = byPolicy(report, 'none');
  expect(none.copiedBytes).toBe(10_050);
  expect(none.mostInASecond).toBeCloseTo(100, 6);
});

test('a limit below what a window can hold is told', async () => {
  const report = await simulateQuota({
    ...SMALL,
    samples: 2,
    windowSeconds: 1,
    policies: ['wait'],
  });
  expect(report.heldByteRate).toBe(50);
  expect(byPolicy(report, 'wait').averageBytesPerSecond).toBeGreaterThan(20);
});

test.each([
  [{ backlogBytes: 0 }, /backlogBytes must be an integer from 1, got 0/],
  [{ writers: 0.5 }, /writers must be an integer from 1/],
  [{ uploadBytesPerSecond: 0 }, /uploadBytesPerSecond must be a number above 0/],
  [{ ingestBytesPerSecond: -1 }, /ingestBytesPerSecond must be a number from 0/],
  [{ policies: ['sleep' as LabPolicy] }, /policies must be of none, abort, wait and pace/],
  [{ limitChanges: [{ atMs: -5, limit: ByteLimit.of(1) }] }, /atMs of a limit change/],
])('%j is refused by name', async (wrong, message) => {
  await expect(simulateQuota({ ...SMALL, ...wrong })).rejects.toThrow(InvalidQuotaOptionError);
  await expect(simulateQuota({ ...SMALL, ...wrong })).rejects.toThrow(message);
});
