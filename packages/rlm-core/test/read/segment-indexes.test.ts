import { describe, expect, it } from 'vitest';
import {
  abortedIn,
  checkIndex,
  offsetAtPosition,
  offsetForTimestamp,
  positionForOffset,
} from '../../src/read/segment-indexes.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
// Written by Apache Kafka's own classes.
const offsets = hex('00000009 00001000 00000032 0000206c');
const times = hex('0000018bcfe56800 00000009 0000018bcfe56805 00000032');
const first = '0000 0000000000000007 0000000000000064 000000000000006e 0000000000000064';
const second = '0000 0000000000000008 0000000000000069 0000000000000082 0000000000000083';

describe('the offset index', () => {
  it.each([
    [99, 0],
    [100, 0],
    [108, 0],
    [109, 4096],
    [149, 4096],
    [150, 8300],
    [1000, 8300],
  ])('says where to begin for offset %i', (offset, position) => {
    expect(positionForOffset(offsets, 100, offset)).toBe(position);
  });

  it('says which offset begins at or beyond a position', () => {
    expect(offsetAtPosition(offsets, 100, 4096 + 4204)).toBe(150);
    expect(offsetAtPosition(offsets, 100, 4096 + 4205)).toBeUndefined();
    expect(offsetAtPosition(offsets, 100, 0)).toBe(109);
  });

  it('may be empty', () => {
    expect(positionForOffset(Buffer.alloc(0), 100, 150)).toBe(0);
    expect(offsetAtPosition(Buffer.alloc(0), 100, 0)).toBeUndefined();
  });
});

describe('the time index', () => {
  it.each([
    [1_699_999_999_999, 100],
    [1_700_000_000_000, 100],
    [1_700_000_000_001, 109],
    [1_700_000_000_005, 109],
    [1_700_000_000_006, 150],
  ])('says before which offset no record is as late as %i', (timestampMs, offset) => {
    expect(offsetForTimestamp(times, 100, timestampMs)).toBe(offset);
  });
});

describe('the transaction index', () => {
  const index = hex(first + second);
  it.each([
    [100, 105, [7], true],
    [100, 106, [7, 8], true],
    [111, 140, [8], false],
    [131, 140, [], false],
  ])('tells what was aborted in [%i, %i)', (from, upper, producers, complete) => {
    const found = abortedIn(index, from, upper);
    expect(found.transactions.map((one) => one.producerId)).toEqual(producers);
    expect(found.complete).toBe(complete);
  });
});

describe('a damaged index', () => {
  it.each([
    ['OFFSET', offsets.subarray(0, 15)],
    ['TIMESTAMP', times.subarray(0, 20)],
    ['TRANSACTION', hex(first).subarray(1)],
    ['OFFSET', hex('00000032 00001000 00000009 0000206c')],
    ['OFFSET', hex('80000009 00001000')],
    ['TIMESTAMP', hex('0000018bcfe56800 00000032 0000018bcfe56805 00000009')],
    ['TRANSACTION', hex(first.replace('0000', '0001'))],
  ] as const)('(%s) is refused', (name, bytes) => {
    expect(() => checkIndex(name, bytes, 100)).toThrow(
      expect.objectContaining({ code: 'LOGLOFT_RLM_CORRUPT_INDEX' }),
    );
  });

  it('is one whose transactions end before the segment', () => {
    expect(() => checkIndex('TRANSACTION', hex(first), 111)).toThrow('before the segment');
    expect(() => checkIndex('TRANSACTION', hex(first), 110)).not.toThrow();
  });
});
