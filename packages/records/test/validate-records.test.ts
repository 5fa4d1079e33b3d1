import { expect, test } from 'vitest';
import { BatchBuilder, InvalidBatchError, validateRecords } from '../src/index.ts';
import { CODECS } from './arbitrary-records.ts';

function failure(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof InvalidBatchError) return [error.reason, error.recordIndex];
    throw error;
  }
  return undefined;
}

test('on a compacted topic the record without a key is named; an empty key is one', () => {
  for (const compression of CODECS) {
    const builder = new BatchBuilder({ compression });
    builder.append({ timestamp: 0, key: '' });
    builder.append({ timestamp: 0, key: 'k' });
    builder.append({ timestamp: 0 });
    const bytes = builder.build();
    expect(failure(() => validateRecords(bytes))).toBeUndefined();
    expect(failure(() => validateRecords(bytes, 0, { needsKey: true }))).toEqual(['key', 2]);
  }
});

test('times outside of the range allowed are refused, its ends are not', () => {
  const builder = new BatchBuilder();
  for (const timestamp of [10, 20, 15]) builder.append({ timestamp });
  const bytes = builder.build();
  const within = (minTimestampMs: number, maxTimestampMs: number) =>
    failure(() => validateRecords(bytes, 0, { minTimestampMs, maxTimestampMs }));
  expect(within(10, 20)).toBeUndefined();
  expect(within(11, 20)).toEqual(['timestamp', 0]);
  expect(within(10, 19)).toEqual(['timestamp', 1]);
});

test('offsets that leave a gap are refused from clients, and in order after compaction', () => {
  const builder = new BatchBuilder();
  builder.append({ timestamp: 0 });
  builder.append({ timestamp: 0, offset: 2 });
  const bytes = builder.build();
  expect(failure(() => validateRecords(bytes))).toEqual(['record-offset', 1]);
  expect(failure(() => validateRecords(bytes, 0, { needsDenseOffsets: false }))).toBeUndefined();
});
