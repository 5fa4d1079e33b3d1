import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  BatchBuilder,
  DecompressionLimitError,
  RecordCursor,
  readRecords,
  UnsupportedCompressionError,
  writeVarint,
} from '../src/index.ts';
import { batchOptions, CODECS, recordInput } from './arbitrary-records.ts';
import { BATCH_TIME, DATA_BATCH, hex, onlyTypedErrors, reasonOf } from './fixtures.ts';

/** A batch with the header of one, and the records given as bytes. */
function batchOf(records: Buffer, recordCount = 1): Buffer {
  const header = new BatchBuilder().build();
  const bytes = Buffer.concat([header, records]);
  bytes.writeInt32BE(bytes.length - 12, BATCH_FIELD.batchLength);
  bytes.writeInt32BE(recordCount, BATCH_FIELD.recordCount);
  bytes.writeBigInt64BE(0n, BATCH_FIELD.baseTimestamp);
  return bytes;
}

function readAll(bytes: Buffer): number {
  let count = 0;
  const cursor = new RecordCursor();
  cursor.open(bytes);
  while (cursor.next()) {
    cursor.headers();
    count += (cursor.key?.length ?? 0) + (cursor.value?.length ?? 0);
  }
  return count;
}

test('the records that Kafka wrote are read', () => {
  expect([...readRecords(DATA_BATCH)]).toEqual([
    { offset: 42, timestamp: BATCH_TIME, key: null, value: Buffer.from('hello'), headers: [] },
    { offset: 43, timestamp: BATCH_TIME + 5, key: Buffer.from('k'), value: null, headers: [] },
  ]);
});

test('a cursor is used for one batch after the other, and again after an error', () => {
  const cursor = new RecordCursor();
  expect(cursor.next()).toBe(false);
  cursor.open(DATA_BATCH);
  cursor.next();
  cursor.open(DATA_BATCH);
  expect(cursor.index).toBe(-1);
  expect(reasonOf(() => cursor.open(DATA_BATCH.subarray(0, 80)))).toBe('truncated');
  expect(cursor.next()).toBe(false);
  cursor.open(Buffer.concat([Buffer.alloc(5), DATA_BATCH]), 5);
  const offsets: number[] = [];
  while (cursor.next()) offsets.push(cursor.offset);
  expect(offsets).toEqual([42, 43]);
  expect(cursor.next()).toBe(false);
});

test('keys and values are views, not copies, where nothing is compressed', () => {
  const bytes = Buffer.from(DATA_BATCH);
  const cursor = new RecordCursor();
  cursor.open(bytes);
  cursor.next();
  bytes.write('HELLO', bytes.indexOf('hello'));
  expect(cursor.value?.toString()).toBe('HELLO');
});

describe('hostile records', () => {
  // Length, attributes, timestamp delta, offset delta, then key, value and header count.
  test.each([
    ['a length past the batch', '20 00 00 00 01 01 00'],
    ['a negative length', '01 00 00 00 01 01 00'],
    ['a length that ends within the record', '08 00 00 00 01 01 00'],
    ['bytes after the headers', '0e 00 00 00 01 01 00 00'],
    ['a key past the record', '0c 00 00 00 20 01 00'],
    ['a key of length -2', '0c 00 00 00 03 01 00'],
    ['a value past the record', '0c 00 00 00 01 20 00'],
    ['a value of two gigabytes', '14 00 00 00 01 feffffff0f 00'],
    ['more headers than bytes', '0c 00 00 00 01 01 08'],
    ['two thousand million headers', '14 00 00 00 01 01 feffffff0f'],
    ['a negative number of headers', '0c 00 00 00 01 01 01'],
    ['a header without a key', '10 00 00 00 01 01 02 01 01'],
    ['a header value of length -2', '10 00 00 00 01 01 02 00 03'],
    ['a header value past the record', '10 00 00 00 01 01 02 00 06'],
    ['nothing at all', ''],
  ])('%s is a corrupt record', (_, encoded) => {
    expect(reasonOf(() => readAll(batchOf(hex(encoded))))).toBe('record');
  });

  test('the smallest record is sound', () => {
    expect(readAll(batchOf(hex('0c 00 00 00 01 01 00')))).toBe(0);
  });

  test('more or fewer records than declared are corrupt, and the cursor stops there', () => {
    const record = hex('0c 00 00 00 01 01 00');
    for (const declared of [0, 1, 3, 2147483647]) {
      const cursor = new RecordCursor();
      cursor.open(batchOf(Buffer.concat([record, record]), declared));
      const run = () => {
        while (cursor.next());
      };
      expect(reasonOf(run)).toBe('record');
      expect(cursor.next()).toBe(false);
    }
  });

  test('a record cannot borrow bytes from the next one', () => {
    // The key reaches to the end of the batch, but not of its record.
    const first = hex('0c 00 00 00 0e 01 00');
    const second = hex('0c 00 00 00 01 01 00');
    expect(reasonOf(() => readAll(batchOf(Buffer.concat([first, second]), 2)))).toBe('record');
  });

  test('times and offsets beyond the safe integers are refused', () => {
    const far = Buffer.alloc(16);
    let at = writeVarint(far, 0, 14);
    far[at] = 0;
    // The greatest int64 as timestamp delta.
    at += 1 + hex('feffffffffffffffff01').copy(far, at + 1);
    const bytes = batchOf(Buffer.concat([far.subarray(0, at), hex('00 01 01 00')]));
    bytes[BATCH_HEADER_BYTES] = (bytes.length - BATCH_HEADER_BYTES - 1) * 2;
    expect(reasonOf(() => readAll(bytes))).toBe('number-range');

    const atTheEdge = Buffer.from(DATA_BATCH);
    atTheEdge.writeBigInt64BE(BigInt(Number.MAX_SAFE_INTEGER), 0);
    expect(reasonOf(() => readAll(atTheEdge))).toBe('number-range');
  });

  test('a batch cut at any byte is truncated', () => {
    for (let end = 0; end < DATA_BATCH.length; end += 1) {
      expect(reasonOf(() => new RecordCursor().open(DATA_BATCH.subarray(0, end)))).toBe(
        'truncated',
      );
    }
  });

  test('a record cut at any byte within its batch is corrupt', () => {
    const builder = new BatchBuilder();
    const headers = [{ key: 'name', value: 'content' }];
    builder.append({ timestamp: BATCH_TIME, key: 'key', value: 'value', headers });
    const records = builder.build().subarray(BATCH_HEADER_BYTES);
    for (let end = 0; end < records.length; end += 1) {
      expect(reasonOf(() => readAll(batchOf(records.subarray(0, end))))).toBe('record');
    }
  });

  test('arbitrary bytes as records cause typed errors only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 5 }), (content, count) => {
        onlyTypedErrors(() => readAll(batchOf(Buffer.from(content), count)));
      }),
    );
  });

  test('sound batches of every codec with bytes changed cause typed errors only', () => {
    fc.assert(
      fc.property(
        batchOptions,
        fc.array(recordInput, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(fc.nat({ max: 2000 }), fc.nat({ max: 255 })), {
          minLength: 1,
          maxLength: 4,
        }),
        (options, records, changes) => {
          const builder = new BatchBuilder(options);
          for (const record of records) builder.append(record);
          const bytes = builder.build();
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          onlyTypedErrors(() => readAll(bytes));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('compression', () => {
  test.each(CODECS.slice(1))('a bomb in %s is refused at the bound', (compression) => {
    const builder = new BatchBuilder({ compression });
    builder.append({ timestamp: 0, value: Buffer.alloc(1_000_000) });
    const bytes = builder.build();
    expect(bytes.length).toBeLessThan(60_000);
    const cursor = new RecordCursor();
    const open = (maxDecompressedBytes: number) => cursor.open(bytes, 0, { maxDecompressedBytes });
    expect(() => open(100_000)).toThrow(DecompressionLimitError);
    expect(() => open(0)).toThrow(DecompressionLimitError);
    expect(cursor.next()).toBe(false);
    open(1_000_020);
    expect(cursor.next()).toBe(true);
    expect(cursor.value?.length).toBe(1_000_000);
  });

  test('an id that is not assigned is an unsupported codec', () => {
    for (const id of [5, 6, 7]) {
      const bytes = Buffer.from(DATA_BATCH);
      bytes.writeUInt16BE(id, BATCH_FIELD.attributes);
      expect(() => new RecordCursor().open(bytes)).toThrow(UnsupportedCompressionError);
      expect(() => new RecordCursor().open(bytes)).toThrow(
        expect.objectContaining({ code: 'LOGLOFT_UNSUPPORTED_COMPRESSION', compressionId: id }),
      );
    }
  });

  test('a bound that is no number of bytes is refused', () => {
    const builder = new BatchBuilder({ compression: 'gzip' });
    const bytes = builder.build();
    for (const maxDecompressedBytes of [-1, 1.5, Number.NaN]) {
      expect(() => new RecordCursor().open(bytes, 0, { maxDecompressedBytes })).toThrow(RangeError);
    }
  });
});
