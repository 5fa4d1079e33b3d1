import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyLogAppendTime,
  BATCH_HEADER_BYTES,
  BatchBuilder,
  compressionOf,
  createBatchHeader,
  hasDeleteHorizon,
  hasProducerId,
  isControl,
  isLogAppendTime,
  isTransactional,
  lastOffsetOf,
  lastSequenceOf,
  nextOffsetOf,
  patchBaseOffset,
  patchLeaderEpoch,
  readBatchHeader,
  readRecords,
  validateBatch,
} from '../src/index.ts';
import { BATCH_TIME, COMMIT_MARKER, DATA_BATCH } from './fixtures.ts';

const FROM_LOG = { origin: 'log' } as const;

describe('reading', () => {
  test('every field of a batch that Kafka accepts is found', () => {
    const header = createBatchHeader();
    expect(readBatchHeader(DATA_BATCH, 0, header)).toBe(true);
    expect(header).toEqual({
      baseOffset: 42,
      sizeInBytes: 81,
      partitionLeaderEpoch: 3,
      magic: 2,
      crc: 0x5d0ccdb1,
      attributes: 0,
      lastOffsetDelta: 1,
      baseTimestamp: BATCH_TIME,
      maxTimestamp: BATCH_TIME + 5,
      producerId: -1,
      producerEpoch: -1,
      baseSequence: -1,
      recordCount: 2,
    });
    expect([lastOffsetOf(header), nextOffsetOf(header), lastSequenceOf(header)]).toEqual([
      43, 44, -1,
    ]);
    expect([isControl(header), isTransactional(header), hasProducerId(header)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('the bits of the attributes are told apart', () => {
    const header = createBatchHeader();
    readBatchHeader(COMMIT_MARKER, 0, header);
    expect([isControl(header), isTransactional(header), hasProducerId(header)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isLogAppendTime(header), hasDeleteHorizon(header)]).toEqual([false, false]);
    header.attributes = 0x4b;
    expect([isLogAppendTime(header), hasDeleteHorizon(header)]).toEqual([true, true]);
    expect([isControl(header), isTransactional(header), compressionOf(header)]).toEqual([
      false,
      false,
      3,
    ]);
  });

  test('a header that is not there whole leaves the target as it was', () => {
    const header = createBatchHeader();
    const before = { ...header };
    for (let bytes = 0; bytes < BATCH_HEADER_BYTES; bytes += 1) {
      expect(readBatchHeader(DATA_BATCH.subarray(0, bytes), 0, header)).toBe(false);
    }
    expect(readBatchHeader(DATA_BATCH, DATA_BATCH.length - BATCH_HEADER_BYTES + 1, header)).toBe(
      false,
    );
    expect(readBatchHeader(DATA_BATCH, -1, header)).toBe(false);
    expect(header).toEqual(before);
  });

  test('a part of a slab does not read the bytes of the slab after it', () => {
    const slab = Buffer.concat([DATA_BATCH, DATA_BATCH]);
    expect(readBatchHeader(slab.subarray(0, 60), 0, createBatchHeader())).toBe(false);
  });

  test('buffers over different memory can be read in turn', () => {
    const a = createBatchHeader();
    const b = createBatchHeader();
    const first = Buffer.allocUnsafeSlow(100 + DATA_BATCH.length);
    const second = Buffer.allocUnsafeSlow(DATA_BATCH.length);
    DATA_BATCH.copy(first, 100);
    DATA_BATCH.copy(second);
    for (let i = 0; i < 3; i += 1) {
      patchBaseOffset(first, 100, 1000 + i);
      patchBaseOffset(second, 0, 2000 + i);
      readBatchHeader(first.subarray(50), 50, a);
      readBatchHeader(second, 0, b);
      expect([a.baseOffset, b.baseOffset]).toEqual([1000 + i, 2000 + i]);
    }
  });

  test('the last sequence number wraps from 2147483647 to 0', () => {
    const header = createBatchHeader();
    const last = (baseSequence: number, lastOffsetDelta: number) =>
      lastSequenceOf({ ...header, baseSequence, lastOffsetDelta });
    expect(last(0, 0)).toBe(0);
    expect(last(2147483646, 1)).toBe(2147483647);
    expect(last(2147483647, 1)).toBe(0);
    expect(last(2147483645, 9)).toBe(6);
    expect(last(2147483647, 2147483647)).toBe(2147483646);
  });
});

describe('patching', () => {
  test('any offset and epoch can be written without touching what the checksum covers', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: -1 }), (offset, epoch) => {
        const bytes = Buffer.concat([Buffer.alloc(3), DATA_BATCH]);
        patchBaseOffset(bytes, 3, Math.min(offset, Number.MAX_SAFE_INTEGER - 1));
        patchLeaderEpoch(bytes, 3, epoch);
        const header = createBatchHeader();
        validateBatch(bytes, 3, bytes.length, header, FROM_LOG);
        expect(header.baseOffset).toBe(Math.min(offset, Number.MAX_SAFE_INTEGER - 1));
        expect(header.partitionLeaderEpoch).toBe(epoch);
        expect(bytes.subarray(3 + 16).equals(DATA_BATCH.subarray(16))).toBe(true);
        expect(bytes.subarray(0, 3)).toEqual(Buffer.alloc(3));
      }),
    );
  });

  test('the offset written is the int64 that Kafka reads', () => {
    const bytes = Buffer.from(DATA_BATCH);
    for (const offset of [0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 5, Number.MAX_SAFE_INTEGER, -1]) {
      patchBaseOffset(bytes, 0, offset);
      expect(bytes.readBigInt64BE(0)).toBe(BigInt(offset));
    }
  });

  test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const)(
    "the broker's time is given to all records of a batch compressed with %s",
    (compression) => {
      const builder = new BatchBuilder({ compression });
      for (let i = 0; i < 50; i += 1) builder.append({ timestamp: BATCH_TIME + i, value: 'value' });
      const batch = builder.build();
      const bytes = Buffer.concat([Buffer.alloc(7), batch, Buffer.alloc(5)]);
      applyLogAppendTime(bytes, 7, BATCH_TIME + 9999);
      const header = createBatchHeader();
      validateBatch(bytes, 7, 7 + batch.length, header, FROM_LOG);
      expect(isLogAppendTime(header)).toBe(true);
      expect(header.baseTimestamp).toBe(BATCH_TIME);
      expect(header.maxTimestamp).toBe(BATCH_TIME + 9999);
      expect(bytes.subarray(7 + BATCH_HEADER_BYTES, 7 + batch.length)).toEqual(
        batch.subarray(BATCH_HEADER_BYTES),
      );
      const times = [...readRecords(bytes, 7)].map((record) => record.timestamp);
      expect(times).toEqual(Array.from({ length: 50 }, () => BATCH_TIME + 9999));
    },
  );

  test('numbers and places that do not fit are refused, and nothing is written', () => {
    const bytes = Buffer.from(DATA_BATCH);
    expect(() => patchBaseOffset(bytes, 0, 2 ** 53)).toThrow(RangeError);
    expect(() => patchBaseOffset(bytes, 0, 1.5)).toThrow(RangeError);
    expect(() => patchBaseOffset(bytes, 21, 1)).toThrow(RangeError);
    expect(() => patchLeaderEpoch(bytes, 0, 2 ** 31)).toThrow(RangeError);
    expect(() => patchLeaderEpoch(bytes, -1, 1)).toThrow(RangeError);
    expect(() => applyLogAppendTime(bytes, 0, Number.NaN)).toThrow(RangeError);
    expect(() => applyLogAppendTime(bytes.subarray(0, 80), 0, 1)).toThrow(RangeError);
    expect(bytes.equals(DATA_BATCH)).toBe(true);
  });
});
