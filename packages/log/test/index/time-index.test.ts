import { describe, expect, it } from 'vitest';
import { LogCorruptError } from '../../src/errors.ts';
import { TimeIndex } from '../../src/index/time-index.ts';

function sample(): TimeIndex {
  const index = new TimeIndex(100);
  index.maybeAppend(1_700_000_000_000, 109);
  index.maybeAppend(1_700_000_000_005, 150);
  return index;
}

describe('TimeIndex', () => {
  it('is stored as Kafka stores it', () => {
    expect(sample().bytes().toString('hex')).toBe(
      '0000018bcfe56800000000090000018bcfe5680500000032',
    );
  });

  it('takes only timestamps greater than all before', () => {
    const index = sample();
    index.maybeAppend(1_700_000_000_005, 160);
    index.maybeAppend(1_600_000_000_000, 170);
    expect(index.count).toBe(2);
    expect(index.lastTimestamp()).toBe(1_700_000_000_005);
  });

  it('finds the last offset before which no record is late enough', () => {
    const index = new TimeIndex(100, sample().bytes());
    expect(index.offsetBefore(1_700_000_000_000)).toBe(100);
    expect(index.offsetBefore(1_700_000_000_001)).toBe(109);
    expect(index.offsetBefore(1_700_000_000_005)).toBe(109);
    expect(index.offsetBefore(1_700_000_000_006)).toBe(150);
  });

  it('refuses half an entry, and a last entry older than the first', () => {
    expect(() => new TimeIndex(0, Buffer.alloc(13))).toThrow(LogCorruptError);
    const reversed = Buffer.concat([
      sample().bytes().subarray(12),
      sample().bytes().subarray(0, 12),
    ]);
    expect(() => new TimeIndex(100, reversed)).toThrow(LogCorruptError);
  });

  it('drops entries from the offset of a cut on', () => {
    const index = sample();
    index.truncateTo(150);
    expect([index.count, index.lastOffset()]).toEqual([1, 109]);
  });
});
