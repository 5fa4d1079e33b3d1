import { describe, expect, it } from 'vitest';
import { resolveLogConfig } from '../src/log-config.ts';
import { localRetentionOf, planRetention, type RetentionFacts } from '../src/retention.ts';

const NOW = 1_000_000;

/** Segments of 10 offsets and 100 bytes, the oldest written 1000 ms before the next. */
function facts(count: number, changes: Partial<RetentionFacts> = {}): RetentionFacts {
  const segments = Array.from({ length: count }, (_, index) => ({
    baseOffset: index * 10,
    nextOffset: index * 10 + 10,
    sizeInBytes: 100,
    maxTimestamp: NOW - (count - index) * 1000,
    modifiedMs: NOW - (count - index) * 1000,
  }));
  return {
    segments,
    nowMs: NOW,
    logStartOffset: 0,
    highWatermark: count * 10,
    highestOffsetInRemoteStorage: -1,
    ...changes,
  };
}

const unlimited = { ms: -1, bytes: -1, onlyUploaded: false };

function reasons(plan: ReturnType<typeof planRetention>): string[] {
  return plan.verdicts.map((verdict) => verdict.reason);
}

describe('planRetention', () => {
  it('deletes by size only what fits wholly into the excess', () => {
    const plan = planRetention(facts(4), { ...unlimited, bytes: 250 });
    expect(reasons(plan)).toEqual(['size', 'within-limits', 'within-limits', 'within-limits']);
    expect(planRetention(facts(4), { ...unlimited, bytes: 200 }).deleteCount).toBe(2);
    expect(planRetention(facts(4), { ...unlimited, bytes: 400 }).deleteCount).toBe(0);
  });

  it('deletes by time what is older than the limit, strictly', () => {
    expect(planRetention(facts(4), { ...unlimited, ms: 3000 }).deleteCount).toBe(1);
    expect(planRetention(facts(4), { ...unlimited, ms: 2999 }).deleteCount).toBe(2);
    expect(planRetention(facts(4), { ...unlimited, ms: 4000 }).deleteCount).toBe(0);
  });

  it('deletes what lies before the start of the log', () => {
    const plan = planRetention(facts(3, { logStartOffset: 19 }), unlimited);
    expect(reasons(plan)).toEqual(['log-start', 'within-limits', 'within-limits']);
    expect(planRetention(facts(3, { logStartOffset: 20 }), unlimited).deleteCount).toBe(2);
  });

  it('stops at the first segment that stays, and says why each one stays', () => {
    const limits = { ms: 0, bytes: -1, onlyUploaded: true };
    const plan = planRetention(facts(4, { highestOffsetInRemoteStorage: 9 }), limits);
    expect(reasons(plan)).toEqual(['time', 'not-uploaded', 'not-uploaded', 'active']);
    expect(plan.deleteCount).toBe(1);
  });

  it('counts a segment as uploaded only when its last offset is', () => {
    const limits = { ms: 0, bytes: -1, onlyUploaded: true };
    const countAt = (offset: number): number =>
      planRetention(facts(3, { highestOffsetInRemoteStorage: offset }), limits).deleteCount;
    expect([-1, 8, 9, 18, 19].map(countAt)).toEqual([0, 0, 1, 1, 2]);
  });

  it('deletes what has expired in the remote tier, uploaded or not', () => {
    const limits = { ...unlimited, onlyUploaded: true };
    expect(planRetention(facts(3, { logStartOffset: 15 }), limits).deleteCount).toBe(1);
  });

  it('never deletes at or above the high watermark', () => {
    const plan = planRetention(facts(3, { highWatermark: 15 }), { ...unlimited, ms: 0 });
    expect(reasons(plan)).toEqual(['time', 'not-replicated', 'active']);
    expect(plan.rollActive).toBe(false);
  });

  it('rolls the active segment when it is its turn, and never an empty one', () => {
    const expired = { ...unlimited, ms: 0 };
    expect(planRetention(facts(2), expired)).toMatchObject({ deleteCount: 1, rollActive: true });
    const tiered = { ...expired, onlyUploaded: true };
    expect(planRetention(facts(1), tiered)).toMatchObject({ deleteCount: 0, rollActive: true });
    expect(planRetention(facts(2), tiered).rollActive).toBe(false);
    const empty = facts(1, {
      segments: [{ baseOffset: 0, nextOffset: 0, sizeInBytes: 0, maxTimestamp: -1, modifiedMs: 0 }],
    });
    expect(planRetention(empty, expired).rollActive).toBe(false);
  });

  it('lets a timestamp in the future not pin an uploaded segment (KAFKA-20609)', () => {
    const base = facts(2, { highestOffsetInRemoteStorage: 9 });
    const segments = base.segments.map((segment) => ({ ...segment, maxTimestamp: NOW * 100 }));
    const limits = { ms: 500, bytes: -1, onlyUploaded: true };
    expect(planRetention({ ...base, segments }, limits).deleteCount).toBe(1);
  });
});

describe('localRetentionOf', () => {
  it('takes the total limits for -2, and the local ones only while copying is on', () => {
    const tiered = resolveLogConfig({
      remoteStorageEnable: true,
      retentionMs: 9,
      retentionBytes: 99,
    });
    expect(localRetentionOf(tiered)).toEqual({ ms: 9, bytes: 99, onlyUploaded: true });
    const local = resolveLogConfig({ localRetentionMs: 1, localRetentionBytes: 2 }, tiered);
    expect(localRetentionOf(local)).toEqual({ ms: 1, bytes: 2, onlyUploaded: true });
    const disabled = resolveLogConfig({ remoteLogCopyDisable: true }, local);
    expect(localRetentionOf(disabled)).toEqual({ ms: 9, bytes: 99, onlyUploaded: false });
    const compacted = resolveLogConfig({ cleanupDelete: false, retentionMs: 9 });
    expect(localRetentionOf(compacted)).toEqual({ ms: -1, bytes: -1, onlyUploaded: false });
  });
});
