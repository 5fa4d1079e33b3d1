import { describe, expect, it } from 'vitest';
import { LogCorruptError } from '../src/errors.ts';
import { LeaderEpochs } from '../src/leader-epochs.ts';

const sample = (): LeaderEpochs =>
  new LeaderEpochs([
    { epoch: 0, startOffset: 0 },
    { epoch: 2, startOffset: 50 },
    { epoch: 4, startOffset: 118 },
  ]);

describe('LeaderEpochs', () => {
  it('is stored as Kafka stores it, and read back', () => {
    const epochs = new LeaderEpochs([
      { epoch: 0, startOffset: 0 },
      { epoch: 4, startOffset: 118 },
    ]);
    expect(epochs.print()).toBe('0\n2\n0 0\n4 118\n');
    expect(LeaderEpochs.parse(epochs.print()).entries).toEqual(epochs.entries);
    expect(epochs.print(118)).toBe('0\n1\n0 0\n');
  });

  it('refuses other versions, wrong counts, words and epochs that go back', () => {
    for (const text of ['1\n0\n', '0\n2\n0 0\n', '0\n1\nx 0\n', '0\n2\n4 0\n3 1\n', '']) {
      expect(() => LeaderEpochs.parse(text)).toThrow(LogCorruptError);
    }
  });

  it('takes a later epoch, and drops what contradicts it', () => {
    const epochs = sample();
    epochs.assign(4, 130);
    expect(epochs.entries).toHaveLength(3);
    epochs.assign(5, 110);
    expect(epochs.latest).toEqual({ epoch: 5, startOffset: 110 });
    expect(epochs.entries).toHaveLength(3);
    epochs.assign(1, 200);
    expect(epochs.entries).toEqual([
      { epoch: 0, startOffset: 0 },
      { epoch: 1, startOffset: 200 },
    ]);
  });

  it('answers where an epoch ends', () => {
    const epochs = sample();
    expect(epochs.endOffsetFor(4, 200)).toEqual({ epoch: 4, endOffset: 200 });
    expect(epochs.endOffsetFor(2, 200)).toEqual({ epoch: 2, endOffset: 118 });
    expect(epochs.endOffsetFor(3, 200)).toEqual({ epoch: 2, endOffset: 118 });
    expect(epochs.endOffsetFor(5, 200)).toEqual({ epoch: -1, endOffset: -1 });
    expect(epochs.endOffsetFor(-1, 200)).toEqual({ epoch: -1, endOffset: -1 });
    const late = new LeaderEpochs([{ epoch: 3, startOffset: 40 }]);
    expect(late.endOffsetFor(1, 200)).toEqual({ epoch: 1, endOffset: 40 });
  });

  it('keeps the epoch that holds a new start, based to it', () => {
    const epochs = sample();
    epochs.truncateFromStart(60);
    expect(epochs.entries).toEqual([
      { epoch: 2, startOffset: 60 },
      { epoch: 4, startOffset: 118 },
    ]);
    epochs.truncateFromEnd(118);
    expect(epochs.entries).toEqual([{ epoch: 2, startOffset: 60 }]);
  });

  it('cuts a range out without changing anything', () => {
    const epochs = sample();
    expect(epochs.entriesInRange(60, 118)).toEqual([{ epoch: 2, startOffset: 60 }]);
    expect(epochs.entriesInRange(60, 119)).toHaveLength(2);
    expect(epochs.entries).toHaveLength(3);
    expect([0, 49, 50, 1000].map((offset) => epochs.epochFor(offset))).toEqual([0, 0, 2, 4]);
  });
});
