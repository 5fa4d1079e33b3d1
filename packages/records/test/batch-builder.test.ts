import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BatchBuilder,
  createBatchHeader,
  isTransactional,
  lastOffsetOf,
  RecordCursor,
  readBatchHeader,
  readRecords,
  validateBatch,
} from '../src/index.ts';
import { batchOptions, CODECS, recordInput } from './arbitrary-records.ts';
import { BATCH_TIME, DATA_BATCH } from './fixtures.ts';

const FROM_LOG = { origin: 'log' } as const;

test('the batch that Kafka accepts is built byte for byte', () => {
  const builder = new BatchBuilder({ baseOffset: 42, partitionLeaderEpoch: 3 });
  builder.append({ timestamp: BATCH_TIME, value: 'hello' });
  builder.append({ timestamp: BATCH_TIME + 5, key: 'k', value: null });
  expect([builder.recordCount, builder.sizeInBytes]).toEqual([2, 81]);
  expect(builder.build()).toEqual(DATA_BATCH);
});

test('whatever is put in comes out again, in every codec', () => {
  fc.assert(
    fc.property(
      batchOptions,
      fc.array(recordInput, { minLength: 1, maxLength: 30 }),
      (options, records) => {
        const builder = new BatchBuilder(options);
        for (const record of records) expect(builder.append(record)).toBe(true);
        const bytes = builder.build();

        const header = createBatchHeader();
        validateBatch(bytes, 0, bytes.length, header, FROM_LOG);
        const { baseOffset = 0 } = options;
        expect(header).toMatchObject({
          baseOffset,
          partitionLeaderEpoch: options.partitionLeaderEpoch,
          producerId: options.producerId,
          producerEpoch: options.producerEpoch,
          baseSequence: options.baseSequence,
          lastOffsetDelta: records.length - 1,
          recordCount: records.length,
          baseTimestamp: records[0]?.timestamp,
          maxTimestamp: Math.max(...records.map((record) => record.timestamp)),
          sizeInBytes: bytes.length,
        });
        expect(isTransactional(header)).toBe(options.isTransactional);
        expect([...readRecords(bytes)]).toEqual(
          records.map((record, index) => ({ ...record, offset: baseOffset + index })),
        );
      },
    ),
  );
});

test('null and empty stay distinct for keys, values and header values, through a copy, too', () => {
  for (const compression of CODECS) {
    const builder = new BatchBuilder({ compression });
    const headers = [
      { key: '', value: null },
      { key: '', value: '' },
    ];
    builder.append({ timestamp: 1, key: null, value: '', headers });
    builder.append({ timestamp: 2, key: '', value: null });
    builder.append({ timestamp: 3 });
    const original = builder.build();
    const copier = new BatchBuilder({ compression });
    const cursor = new RecordCursor();
    cursor.open(original);
    while (cursor.next()) copier.appendFrom(cursor);
    for (const bytes of [original, copier.build()]) {
      const [first, second, third] = [...readRecords(bytes)];
      expect([first?.key, first?.value]).toEqual([null, Buffer.alloc(0)]);
      expect(first?.headers.map(({ value }) => value)).toEqual([null, Buffer.alloc(0)]);
      expect([second?.key, second?.value]).toEqual([Buffer.alloc(0), null]);
      expect([third?.key, third?.value]).toEqual([null, null]);
    }
  }
});

test('text is written as UTF-8, a lone surrogate as the replacement character', () => {
  const builder = new BatchBuilder();
  builder.append({ timestamp: 0, key: 'žluťoučký 🐎', value: 'a\ud800b' });
  const [record] = [...readRecords(builder.build())];
  expect(record?.key?.toString()).toBe('žluťoučký 🐎');
  expect(record?.value?.toString()).toBe('a\ufffdb');
});

describe('compaction', () => {
  test('records keep their offsets and times, and the batch its last offset', () => {
    const builder = new BatchBuilder({ baseOffset: 100, compression: 'lz4' });
    for (let i = 0; i < 10; i += 1) builder.append({ timestamp: 50 + i, key: `k${i}`, value: 'v' });
    const original = builder.build();

    const cursor = new RecordCursor();
    cursor.open(original);
    const kept = new BatchBuilder({ baseOffset: 100, compression: 'zstd' });
    while (cursor.next()) if (cursor.index % 3 === 1) kept.appendFrom(cursor);
    const bytes = kept.build(lastOffsetOf(cursor.batch));
    const header = createBatchHeader();
    validateBatch(bytes, 0, bytes.length, header, FROM_LOG);
    expect([header.baseOffset, lastOffsetOf(header), header.recordCount]).toEqual([100, 109, 3]);
    expect([...readRecords(bytes)].map((record) => [record.offset, record.timestamp])).toEqual([
      [101, 51],
      [104, 54],
      [107, 57],
    ]);
  });

  test('header keys that are no UTF-8 are copied as they are', () => {
    const marked = new BatchBuilder();
    marked.append({ timestamp: 0, headers: [{ key: '~~', value: 'x' }] });
    const original = marked.build();
    const keyAt = original.indexOf('~~');
    original.set([0xff, 0xfe], keyAt);
    const cursor = new RecordCursor();
    cursor.open(original);
    cursor.next();
    const copy = new BatchBuilder();
    copy.appendFrom(cursor);
    expect(copy.build().subarray(keyAt - 1)).toEqual(original.subarray(keyAt - 1));
  });

  test('a batch without records keeps its place in the log', () => {
    const bytes = new BatchBuilder({ baseOffset: 7 }).build(12);
    const header = createBatchHeader();
    validateBatch(bytes, 0, bytes.length, header, FROM_LOG);
    expect(header).toMatchObject({ baseOffset: 7, lastOffsetDelta: 5, recordCount: 0 });
    expect([header.baseTimestamp, header.maxTimestamp]).toEqual([-1, -1]);
    expect([...readRecords(bytes)]).toEqual([]);
  });

  test('with a delete horizon, times count from it', () => {
    const builder = new BatchBuilder({ deleteHorizonMs: 9000 });
    builder.append({ timestamp: 5000, key: 'k' });
    builder.append({ timestamp: 9500, key: 'k' });
    const bytes = builder.build();
    const header = createBatchHeader();
    readBatchHeader(bytes, 0, header);
    expect([header.baseTimestamp, header.maxTimestamp]).toEqual([9000, 9500]);
    expect([...readRecords(bytes)].map((record) => record.timestamp)).toEqual([5000, 9500]);
  });
});

describe('bounds', () => {
  test('a batch takes records up to its bound and not a byte more', () => {
    const room = new BatchBuilder({ maxBatchBytes: 81 });
    expect(room.append({ timestamp: BATCH_TIME, value: 'hello' })).toBe(true);
    expect(room.append({ timestamp: BATCH_TIME + 5, key: 'k' })).toBe(true);
    expect(room.append({ timestamp: BATCH_TIME })).toBe(false);
    expect([room.recordCount, room.build().length]).toEqual([2, 81]);
    const less = new BatchBuilder({ maxBatchBytes: 80 });
    expect(less.append({ timestamp: BATCH_TIME, value: 'hello' })).toBe(true);
    expect(less.append({ timestamp: BATCH_TIME + 5, key: 'k' })).toBe(false);
    expect([...readRecords(less.build())]).toHaveLength(1);
  });

  test('a record that no batch could take is an error, not a false for ever', () => {
    const builder = new BatchBuilder({ maxBatchBytes: 100 });
    expect(() => builder.append({ timestamp: 0, value: Buffer.alloc(100) })).toThrow(RangeError);
    expect(builder.append({ timestamp: 0, value: 'small' })).toBe(true);
  });

  test('offsets only grow, and stay within an int32 of the first', () => {
    const builder = new BatchBuilder({ baseOffset: 10 });
    const append = (offset: number) => builder.append({ timestamp: 0, offset });
    expect(() => append(9)).toThrow(RangeError);
    append(12);
    expect(() => append(12)).toThrow(RangeError);
    expect(() => append(10 + 2 ** 31)).toThrow(RangeError);
    append(10 + 2 ** 31 - 1);
    expect(() => builder.build(20)).toThrow(RangeError);
    expect([...readRecords(builder.build())].map((record) => record.offset)).toEqual([
      12,
      10 + 2 ** 31 - 1,
    ]);
  });

  test.each([
    { baseOffset: -1 },
    { baseOffset: 2 ** 53 },
    { producerId: -2 },
    { producerEpoch: 32768 },
    { baseSequence: 2 ** 31 },
    { partitionLeaderEpoch: 1.5 },
    { maxBatchBytes: 60 },
    { initialBytes: 0 },
    { deleteHorizonMs: Number.NaN },
    { compression: 'constructor' as 'gzip' },
  ])('the option %o is refused before anything is built', (options) => {
    expect(() => new BatchBuilder(options)).toThrow(RangeError);
    expect(() => new BatchBuilder(options)).toThrow(Object.keys(options)[0]);
  });

  test('times that are no safe integers are refused', () => {
    const builder = new BatchBuilder();
    for (const timestamp of [Number.NaN, 1.5, 2 ** 53]) {
      expect(() => builder.append({ timestamp })).toThrow(RangeError);
    }
    builder.append({ timestamp: Number.MAX_SAFE_INTEGER });
    expect(() => builder.append({ timestamp: -1 })).toThrow(RangeError);
  });

  test('a batch that was built belongs to its caller: the builder takes no more', () => {
    const builder = new BatchBuilder();
    builder.append({ timestamp: 0, value: 'x' });
    const bytes = builder.build();
    const before = Buffer.from(bytes);
    expect(() => builder.append({ timestamp: 0 })).toThrow(/was built/);
    expect(() => builder.build()).toThrow(/was built/);
    expect(bytes).toEqual(before);
  });
});
