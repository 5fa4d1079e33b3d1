import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BATCH_FIELD,
  BatchBuilder,
  BatchCursor,
  createBatchHeader,
  readRecords,
  validateBatch,
} from '../src/index.ts';
import { onlyTypedErrors, reasonOf } from './fixtures.ts';

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

/** One batch for each codec, with offsets that follow one another. */
function consecutive(): Buffer[] {
  let offset = 10;
  return CODECS.map((compression, index) => {
    const builder = new BatchBuilder({ compression, baseOffset: offset });
    for (let i = 0; i <= index; i += 1) {
      builder.append({ timestamp: offset, value: `record ${offset}` });
      offset += 1;
    }
    return builder.build();
  });
}

function offsetsIn(cursor: BatchCursor): number[] {
  const offsets: number[] = [];
  while (cursor.next()) offsets.push(cursor.header.baseOffset);
  return offsets;
}

test('all batches of one fetch are found, whatever codec each has', () => {
  const bytes = Buffer.concat(consecutive());
  const cursor = new BatchCursor(bytes);
  const offsets: number[] = [];
  while (cursor.next()) {
    for (const record of readRecords(bytes, cursor.position)) offsets.push(record.offset);
  }
  expect(offsets).toEqual(Array.from({ length: 15 }, (_, i) => 10 + i));
  expect([cursor.tailBytes, cursor.nextPosition, cursor.nextBatchBytes]).toEqual([
    0,
    bytes.length,
    0,
  ]);
});

test('cut at any byte, the whole batches before are found and the tail is counted', () => {
  const batches = consecutive();
  const bytes = Buffer.concat(batches);
  for (let end = 0; end <= bytes.length; end += 1) {
    let whole = 0;
    let count = 0;
    for (const batch of batches) {
      if (whole + batch.length > end) break;
      whole += batch.length;
      count += 1;
    }
    const cursor = new BatchCursor(bytes, { end });
    expect(offsetsIn(cursor)).toHaveLength(count);
    expect(cursor.tailBytes).toBe(end - whole);
    const declared = cursor.tailBytes >= 12 ? (batches[count]?.length ?? 0) : 0;
    expect(cursor.nextBatchBytes).toBe(declared);
  }
});

test('a range within a slab is respected at both ends', () => {
  const [first, second] = consecutive() as [Buffer, Buffer];
  const slab = Buffer.concat([Buffer.alloc(9, 0xff), first, second]);
  const cursor = new BatchCursor(slab, { start: 9, end: 9 + first.length });
  expect(offsetsIn(cursor)).toEqual([10]);
  expect(cursor.position).toBe(9);
  for (const [start, end] of [
    [-1, 5],
    [5, 4],
    [0, slab.length + 1],
    [Number.NaN, 5],
  ] as const) {
    expect(() => new BatchCursor(slab, { start, end })).toThrow(RangeError);
  }
});

test('a hostile length ends in an error as soon as it can be seen, never in an endless loop', () => {
  const [batch] = consecutive() as [Buffer];
  for (const length of [-2147483648, -13, -12, -1, 0, 13]) {
    const bytes = Buffer.concat([batch, batch]);
    bytes.writeInt32BE(length, batch.length + BATCH_FIELD.batchLength);
    for (const end of [bytes.length, batch.length + 12, batch.length + 17]) {
      const cursor = new BatchCursor(bytes, { end });
      expect(cursor.next()).toBe(true);
      expect(reasonOf(() => cursor.next())).toBe('length');
      expect(reasonOf(() => cursor.next())).toBe('length');
    }
  }
});

test('a length past the bound is damage, not a batch to wait for', () => {
  const [batch] = consecutive() as [Buffer];
  const bytes = Buffer.from(batch);
  bytes.writeInt32BE(2147483647, BATCH_FIELD.batchLength);
  expect(new BatchCursor(bytes).next()).toBe(false);
  const bounded = new BatchCursor(bytes, { maxBatchBytes: 1_048_588 });
  expect(reasonOf(() => bounded.next())).toBe('length');
});

test('another magic in the row is told apart from a cut', () => {
  const [batch] = consecutive() as [Buffer];
  for (const [magic, reason] of [
    [0, 'legacy-magic'],
    [1, 'legacy-magic'],
    [3, 'magic'],
    [-1, 'magic'],
  ] as const) {
    const bytes = Buffer.from(batch);
    bytes.writeInt8(magic, BATCH_FIELD.magic);
    expect(reasonOf(() => new BatchCursor(bytes).next())).toBe(reason);
    expect(reasonOf(() => new BatchCursor(bytes, { end: 17 }).next())).toBe(reason);
    expect(new BatchCursor(bytes, { end: 16 }).next()).toBe(false);
  }
});

test('arbitrary bytes end in the end, a tail or a typed error, and each step goes on', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
      const bytes = Buffer.from(content);
      onlyTypedErrors(() => {
        const cursor = new BatchCursor(bytes);
        let before = -1;
        while (cursor.next()) {
          expect(cursor.position).toBeGreaterThan(before);
          before = cursor.position;
        }
      });
    }),
  );
});

test('zeros, as in the unwritten part of a file, are damage and not a legacy message set', () => {
  const [batch] = consecutive() as [Buffer];
  const bytes = Buffer.concat([batch, Buffer.alloc(200)]);
  const cursor = new BatchCursor(bytes);
  expect(cursor.next()).toBe(true);
  expect(reasonOf(() => cursor.next())).toBe('length');
  const header = createBatchHeader();
  const check = (end: number) => () => validateBatch(Buffer.alloc(200), 0, end, header);
  expect(reasonOf(check(200))).toBe('length');
  expect(reasonOf(check(20))).toBe('length');
});
