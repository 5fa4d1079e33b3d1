import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyLogAppendTime,
  BATCH_HEADER_BYTES,
  BatchBuilder,
  findFirstAtOrAfter,
  findMaxTimestamp,
} from '../src/index.ts';
import { CODECS } from './arbitrary-records.ts';
import { reasonOf } from './fixtures.ts';

function batchAt(times: readonly number[], compression = CODECS[0]): Buffer {
  const builder = new BatchBuilder({ baseOffset: 100, compression });
  for (const timestamp of times) builder.append({ timestamp, value: 'value' });
  return builder.build();
}

test('the first record that is late enough, and the first of the latest, are found', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 20 }),
      fc.nat({ max: 60 }),
      fc.nat({ max: 25 }),
      fc.constantFrom(...CODECS),
      (times, wanted, skip, compression) => {
        const bytes = Buffer.concat([Buffer.alloc(3), batchAt(times, compression)]);
        const all = times.map((timestamp, index) => ({ offset: 100 + index, timestamp }));
        const minOffset = 100 + skip;
        const eligible = all.filter(({ offset }) => offset >= minOffset);
        expect(findFirstAtOrAfter(bytes, 3, wanted, { minOffset })).toEqual(
          eligible.find(({ timestamp }) => timestamp >= wanted),
        );
        const latest = Math.max(...eligible.map(({ timestamp }) => timestamp));
        expect(findMaxTimestamp(bytes, 3, { minOffset })).toEqual(
          eligible.find(({ timestamp }) => timestamp === latest),
        );
      },
    ),
  );
});

test('a batch whose records are all too early is not decompressed', () => {
  const bytes = batchAt([1, 2, 3], 'gzip');
  bytes.fill(0xff, BATCH_HEADER_BYTES);
  expect(findFirstAtOrAfter(bytes, 0, 4)).toBeUndefined();
  expect(reasonOf(() => findFirstAtOrAfter(bytes, 0, 3))).toBe('compressed-data');
});

test("with the broker's time every record has it, so the first one is found", () => {
  const bytes = batchAt([1, 9, 3], 'snappy');
  applyLogAppendTime(bytes, 0, 500);
  const first = { offset: 100, timestamp: 500 };
  expect(findFirstAtOrAfter(bytes, 0, 500)).toEqual(first);
  expect(findMaxTimestamp(bytes, 0)).toEqual(first);
  expect(findFirstAtOrAfter(bytes, 0, 501)).toBeUndefined();
});

test('a batch without records has none to find, and a cut one is an error', () => {
  const bytes = new BatchBuilder({ baseOffset: 5 }).build();
  expect(findMaxTimestamp(bytes, 0)).toBeUndefined();
  expect(findFirstAtOrAfter(bytes, 0, -1)).toBeUndefined();
  expect(reasonOf(() => findFirstAtOrAfter(bytes.subarray(0, 60), 0, 0))).toBe('truncated');
  expect(reasonOf(() => findMaxTimestamp(bytes.subarray(0, 60), 0))).toBe('truncated');
});
