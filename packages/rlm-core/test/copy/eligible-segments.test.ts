import { describe, expect, it } from 'vitest';
import { copyLagOf } from '../../src/copy/copy-lag.ts';
import {
  type CopyCandidate,
  type CopyFacts,
  eligibleSegments,
} from '../../src/copy/eligible-segments.ts';
import { highestRemoteOffset } from '../../src/copy/highest-remote-offset.ts';
import { tieredTopic } from '../support/model-log.ts';

const segment = (
  baseOffset: number,
  nextOffset: number,
  facts: Partial<CopyCandidate> = {},
): CopyCandidate => ({
  baseOffset,
  nextOffset,
  sizeInBytes: 100,
  maxTimestampMs: 1000,
  active: false,
  hasProducerSnapshot: true,
  ...facts,
});

const three = [segment(0, 10), segment(10, 20), segment(20, 25, { active: true })];

function verdicts(facts: Partial<CopyFacts<CopyCandidate>>): string {
  const plan = eligibleSegments({
    segments: three,
    config: tieredTopic,
    logStartOffset: 0,
    lastStableOffset: 25,
    copiedOffset: -1,
    nowMs: 1000,
    ...facts,
  });
  const eligible = plan.eligible.map((one) => [one.baseOffset, 'copy'] as const);
  const others = plan.others.map(({ segment: one, reason }) => [one.baseOffset, reason] as const);
  return [...eligible, ...others]
    .sort((a, b) => a[0] - b[0])
    .map(([offset, verdict]) => `${offset} ${verdict}`)
    .join(', ');
}

describe('which segments are copied', () => {
  it.each<[string, Partial<CopyFacts<CopyCandidate>>, string]>([
    ['all that are rolled', {}, '0 copy, 10 copy, 20 active'],
    ['not what is copied', { copiedOffset: 9 }, '0 already-copied, 10 copy, 20 active'],
    [
      'the rest of one that is copied in part',
      { copiedOffset: 14 },
      '0 already-copied, 10 copy, 20 active',
    ],
    [
      'up to the last stable offset',
      { lastStableOffset: 10 },
      '0 copy, 10 above-last-stable-offset, 20 active',
    ],
    [
      'not one that is stable in part',
      { lastStableOffset: 9 },
      '0 above-last-stable-offset, 10 above-last-stable-offset, 20 active',
    ],
    [
      'not what is below the log start',
      { logStartOffset: 10 },
      '0 below-log-start, 10 copy, 20 active',
    ],
    ['what the log start is inside of', { logStartOffset: 5 }, '0 copy, 10 copy, 20 active'],
    [
      'nothing with copying disabled',
      { config: { ...tieredTopic, remoteLogCopyDisable: true } },
      '0 copy-disabled, 10 copy-disabled, 20 active',
    ],
    [
      'nothing that follows one without producer snapshot',
      { segments: [segment(0, 10, { hasProducerSnapshot: false }), ...three.slice(1)] },
      '0 no-producer-snapshot, 10 behind-another, 20 active',
    ],
    [
      'what follows an empty one',
      { segments: [segment(0, 0), segment(0, 10), segment(10, 10, { active: true })] },
      '0 empty, 0 copy, 10 active',
    ],
    [
      'never the active one, however old',
      { segments: [segment(0, 9, { active: true })] },
      '0 active',
    ],
  ])('%s', (_name, facts, expected) => {
    // Segments of one base offset sort by what they were given as.
    expect(verdicts(facts).split(', ').sort()).toEqual(expected.split(', ').sort());
  });
});

describe('the copy lag (KIP-1241)', () => {
  const lagging = (remoteCopyLagMs: number, remoteCopyLagBytes: number, rest = {}) => ({
    config: {
      ...tieredTopic,
      localRetentionMs: -2,
      localRetentionBytes: -2,
      remoteCopyLagMs,
      remoteCopyLagBytes,
      ...rest,
    },
  });

  it.each<[string, Partial<CopyFacts<CopyCandidate>>, string]>([
    ['0 copies at once', { ...lagging(0, 5000) }, '0 copy, 10 copy, 20 active'],
    [
      'keeps what is too young',
      { ...lagging(500, -1), nowMs: 1499 },
      '0 copy-lag, 10 copy-lag, 20 active',
    ],
    [
      'lets go what is old enough',
      { ...lagging(500, -1), nowMs: 1500 },
      '0 copy, 10 copy, 20 active',
    ],
    [
      'lets go what claims to be from the future',
      { ...lagging(500, -1), nowMs: 10 },
      '0 copy, 10 copy, 20 active',
    ],
    ['keeps the last bytes', { ...lagging(500, 200) }, '0 copy, 10 copy-lag, 20 active'],
    [
      '-1 is the local retention',
      { ...lagging(-1, -1, { localRetentionMs: 500 }) },
      '0 copy-lag, 10 copy-lag, 20 active',
    ],
    ['-1 is nothing where that has no end', { ...lagging(-1, -1) }, '0 copy, 10 copy, 20 active'],
  ])('%s', (_name, facts, expected) => {
    expect(verdicts(facts)).toBe(expected);
  });
});

describe('the lag of a log', () => {
  it('is 0 when only the active segment is local', () => {
    expect(copyLagOf([segment(0, 1, { active: true })], -1)).toEqual({ bytes: 0, segments: 0 });
    expect(copyLagOf([segment(4, 4, { active: true })], 3)).toEqual({ bytes: 0, segments: 0 });
  });

  it('counts segments of a single record, and what is copied not at all', () => {
    const logs = [segment(0, 1), segment(1, 2), segment(2, 2, { active: true })];
    expect(copyLagOf(logs, -1)).toEqual({ bytes: 200, segments: 2 });
    expect(copyLagOf(logs, 0)).toEqual({ bytes: 100, segments: 1 });
    expect(copyLagOf(logs, 1)).toEqual({ bytes: 0, segments: 0 });
    expect(copyLagOf(logs, 100)).toEqual({ bytes: 0, segments: 0 });
  });
});

describe('the highest offset in the remote tier', () => {
  const lineage = [
    { epoch: 0, startOffset: 0 },
    { epoch: 1, startOffset: 30 },
    { epoch: 2, startOffset: 100 },
  ];
  it.each<[string, Record<number, number>, number]>([
    ['is -1 when nothing is there', {}, -1],
    ['is of the latest epoch that has some', { 0: 29, 1: 60 }, 60],
    ['of an earlier epoch, when later ones have none', { 0: 20 }, 20],
    ['is cut to where the leader ended the epoch', { 0: 29, 1: 150 }, 99],
    ['is cut to the end of the log', { 2: 500 }, 199],
    ['of an epoch that the leader does not know counts not', { 7: 500 }, -1],
  ])('%s', (_name, highest, expected) => {
    expect(highestRemoteOffset(lineage, 200, (epoch) => highest[epoch])).toBe(expected);
  });
});
