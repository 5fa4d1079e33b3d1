import { describe, expect, it } from 'vitest';
import { LogCorruptError } from '../../src/errors.ts';
import { OffsetIndex } from '../../src/index/offset-index.ts';

function sample(): OffsetIndex {
  const index = new OffsetIndex(100);
  index.append(109, 4096);
  index.append(150, 8300);
  return index;
}

describe('OffsetIndex', () => {
  it('is stored as Kafka stores it', () => {
    expect(sample().bytes().toString('hex')).toBe('0000000900001000000000320000206c');
  });

  it('finds the last entry at or before an offset, and the start without one', () => {
    const index = new OffsetIndex(100, sample().bytes());
    expect([99, 100, 108].map((offset) => index.positionAtOrBefore(offset))).toEqual([0, 0, 0]);
    expect([109, 149].map((offset) => index.positionAtOrBefore(offset))).toEqual([4096, 4096]);
    expect(index.positionAtOrBefore(1000)).toBe(8300);
    expect(index.positionAfterOffset(109)).toBe(8300);
    expect(index.positionAfterOffset(150)).toBeUndefined();
  });

  it('finds entries by position on either side', () => {
    const index = sample();
    expect([0, 4095, 4096, 9999].map((p) => index.floorPosition(p))).toEqual([0, 0, 4096, 8300]);
    expect(index.ceilingPosition(4096 + 4204)).toBe(8300);
    expect(index.ceilingPosition(4096 + 4205)).toBeUndefined();
  });

  it('drops the entries of batches that reach the offset of a cut', () => {
    const index = sample();
    index.truncateTo(150);
    expect(index.last()).toEqual({ offset: 109, position: 4096 });
    index.truncateTo(109);
    expect(index.last()).toEqual({ offset: 100, position: 0 });
  });

  it('refuses half an entry, and an entry before the segment', () => {
    expect(() => new OffsetIndex(0, Buffer.alloc(12))).toThrow(LogCorruptError);
    expect(() => new OffsetIndex(0, Buffer.from('ffffffff00000000', 'hex'))).toThrow(
      LogCorruptError,
    );
  });

  it('holds more entries than its first buffer', () => {
    const index = new OffsetIndex(0);
    for (let i = 1; i <= 10_000; i += 1) index.append(i * 3, i * 100);
    expect(index.count).toBe(10_000);
    expect(index.positionAtOrBefore(15_001)).toBe(500_000);
  });
});
