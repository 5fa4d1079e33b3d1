import { describe, expect, it } from 'vitest';
import {
  endOffsetOfEpoch,
  epochForOffset,
  segmentLeaderEpochs,
} from '../../src/lineage/leader-epochs.ts';
import { isWithinLineage } from '../../src/lineage/within-lineage.ts';
import type { LeaderEpochEntry } from '../../src/partition-log-view.ts';

const epochs = (entries: Readonly<Record<number, number>>): LeaderEpochEntry[] =>
  Object.entries(entries).map(([epoch, startOffset]) => ({ epoch: Number(epoch), startOffset }));
const lineage = epochs({ 5: 10, 7: 15, 9: 100 });

describe('a segment is of the history of a leader', () => {
  it.each([
    ['that it was written by', 50, { 5: 10, 7: 15 }, true],
    ['though another leader cut it elsewhere', 150, { 5: 14, 7: 15, 9: 100 }, true],
    ['but not past the end of an epoch', 120, { 5: 14, 7: 15 }, false],
    ['but not with an epoch that the leader does not know', 150, { 5: 14, 6: 15, 9: 100 }, false],
    ['but not up to the end of the log', 200, { 9: 100 }, false],
    ['but not with a later epoch than the latest', 150, { 10: 120 }, false],
    ['but not with only earlier epochs than the first', 14, { 3: 0, 4: 5 }, false],
    ['but not from before the start of an epoch', 99, { 7: 12 }, false],
    ['but not if an epoch begins elsewhere', 150, { 5: 14, 7: 16, 9: 100 }, false],
    ['and what its first epoch has below the lineage counts not', 50, { 5: 2, 7: 15 }, true],
  ])('%s', (_name, endOffset, own, expected) => {
    expect(isWithinLineage({ endOffset, segmentLeaderEpochs: epochs(own) }, lineage, 200)).toBe(
      expected,
    );
  });

  it('also after the front of the lineage has moved', () => {
    const moved = epochs({ 7: 51, 9: 100 });
    const segment = { endOffset: 150, segmentLeaderEpochs: epochs({ 5: 14, 7: 15, 9: 100 }) };
    expect(isWithinLineage(segment, moved, 200)).toBe(true);
  });

  it('whether or not an epoch without records is in either of the two', () => {
    const withEmpty = epochs({ 5: 10, 6: 15, 7: 15, 9: 100 });
    const segment = { endOffset: 50, segmentLeaderEpochs: epochs({ 5: 10, 7: 15 }) };
    expect(isWithinLineage(segment, withEmpty, 200)).toBe(true);
    const other = { endOffset: 50, segmentLeaderEpochs: epochs({ 5: 10, 6: 15, 7: 15 }) };
    expect(isWithinLineage(other, lineage, 200)).toBe(true);
  });

  it('never of an empty history', () => {
    const segment = { endOffset: 5, segmentLeaderEpochs: epochs({ 0: 0 }) };
    expect(isWithinLineage(segment, [], 200)).toBe(false);
  });
});

describe('the leader epochs', () => {
  it.each([
    [9, undefined],
    [10, 5],
    [14, 5],
    [15, 7],
    [1000, 9],
  ])('of offset %i are %s', (offset, expected) => {
    expect(epochForOffset(lineage, offset)).toBe(expected);
  });

  it('end where the next begins, or with the log', () => {
    expect([5, 6, 7, 9].map((epoch) => endOffsetOfEpoch(lineage, epoch, 200))).toEqual([
      15,
      undefined,
      100,
      200,
    ]);
  });

  it('of a segment begin at its base offset', () => {
    expect(segmentLeaderEpochs(lineage, 12, 120)).toEqual(epochs({ 5: 12, 7: 15, 9: 100 }));
    expect(segmentLeaderEpochs(lineage, 20, 100)).toEqual(epochs({ 7: 20 }));
    expect(segmentLeaderEpochs(lineage, 100, 101)).toEqual(epochs({ 9: 100 }));
  });

  it('of a segment from before the lineage are none', () => {
    expect(segmentLeaderEpochs(lineage, 5, 20)).toEqual([]);
  });

  it('of a segment leave out those without records', () => {
    expect(segmentLeaderEpochs(epochs({ 1: 0, 2: 10, 3: 10 }), 0, 20)).toEqual(
      epochs({ 1: 0, 3: 10 }),
    );
  });
});
