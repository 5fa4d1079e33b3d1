import { expect, test } from 'vitest';
import {
  BATCH_FIELD,
  BatchBuilder,
  type BatchBuilderOptions,
  CorruptBatchError,
  crc32c,
  createBatchHeader,
  InvalidBatchError,
  type ValidateBatchOptions,
  validateBatch,
} from '../src/index.ts';
import { BATCH_TIME, COMMIT_MARKER, DATA_BATCH, hex, reasonOf } from './fixtures.ts';

function build(options: BatchBuilderOptions = {}, records = 3): Buffer {
  const builder = new BatchBuilder(options);
  for (let i = 0; i < records; i += 1) {
    builder.append({ timestamp: BATCH_TIME + i, key: `k${i}`, value: `v${i}` });
  }
  return builder.build();
}

function check(bytes: Buffer, options?: ValidateBatchOptions): string {
  return reasonOf(() => validateBatch(bytes, 0, bytes.length, createBatchHeader(), options));
}

/** A copy with some bytes changed, and the checksum right again. */
function altered(batch: Buffer, alter: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(batch);
  alter(bytes);
  bytes.writeUInt32BE(crc32c(bytes.subarray(BATCH_FIELD.attributes)), BATCH_FIELD.crc);
  return bytes;
}

const FROM_LOG = { origin: 'log' } as const;

test('batches of ordinary, idempotent and transactional producers pass', () => {
  expect(check(build())).toBe('none');
  expect(check(build({ producerId: 5, producerEpoch: 0, baseSequence: 0 }))).toBe('none');
  expect(
    check(build({ producerId: 5, producerEpoch: 0, baseSequence: 9, isTransactional: true })),
  ).toBe('none');
  // Some clients write epoch 0 and sequence 0 without a producer id.
  expect(check(build({ producerId: -1, producerEpoch: 0, baseSequence: 0 }))).toBe('none');
});

test('what Kafka wrote to its log passes as a batch of a log, and not as one of a client', () => {
  expect(check(DATA_BATCH, FROM_LOG)).toBe('none');
  expect(check(COMMIT_MARKER, FROM_LOG)).toBe('none');
  expect(check(DATA_BATCH)).toBe('base-offset');
});

test('a batch cut at any byte is truncated', () => {
  const batch = build();
  for (let bytes = 0; bytes < batch.length; bytes += 1) {
    expect(check(batch.subarray(0, bytes))).toBe('truncated');
    expect(check(batch.subarray(0, bytes), FROM_LOG)).toBe('truncated');
  }
});

test('no bit can flip from the magic on without an error', () => {
  const batch = build();
  for (let bit = BATCH_FIELD.magic * 8; bit < batch.length * 8; bit += 1) {
    const bytes = Buffer.from(batch);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(['magic', 'legacy-magic', 'crc']).toContain(check(bytes));
  }
});

test('a length that is impossible, or does not end with the bytes, is corrupt', () => {
  const batch = build();
  for (const length of [-1, 0, 48, -2147483648]) {
    const bytes = Buffer.from(batch);
    bytes.writeInt32BE(length, BATCH_FIELD.batchLength);
    expect(check(bytes)).toBe('length');
    expect(check(bytes, FROM_LOG)).toBe('length');
  }
  const long = Buffer.from(batch);
  long.writeInt32BE(2147483647, BATCH_FIELD.batchLength);
  expect(check(long)).toBe('truncated');
  expect(check(Buffer.concat([batch, Buffer.alloc(1)]))).toBe('length');
  expect(check(Buffer.concat([batch, Buffer.alloc(100)]))).toBe('length');
});

test('a client may send one batch only, while in a log others may follow', () => {
  const two = Buffer.concat([build(), build()]);
  expect(check(two)).toBe('several-batches');
  expect(check(two, FROM_LOG)).toBe('none');
});

test('only the bytes before the end given belong to the batch', () => {
  const batch = build();
  const slab = Buffer.concat([Buffer.alloc(10), batch, Buffer.alloc(10)]);
  const header = createBatchHeader();
  validateBatch(slab, 10, 10 + batch.length, header);
  expect(header.recordCount).toBe(3);
  const cut = () => validateBatch(slab, 10, 9 + batch.length, header);
  expect(reasonOf(cut)).toBe('truncated');
});

test('old message sets are told apart from damage, also when shorter than a batch header', () => {
  // One message of magic 0 as sarama 1.22 sends it.
  const old = hex('0000000000000000 0000000f a5d9c1f8 00 00 ffffffff 00000001 76');
  expect(check(old)).toBe('legacy-magic');
  const magic1 = Buffer.from(DATA_BATCH);
  magic1.writeInt8(1, BATCH_FIELD.magic);
  expect(check(magic1, FROM_LOG)).toBe('legacy-magic');
  magic1.writeInt8(3, BATCH_FIELD.magic);
  expect(check(magic1, FROM_LOG)).toBe('magic');
});

test('the largest batch allowed passes, one byte more does not', () => {
  const batch = build();
  expect(check(batch, { maxBatchBytes: batch.length })).toBe('none');
  expect(check(batch, { maxBatchBytes: batch.length - 1 })).toBe('too-large');
});

test('each rule for clients has a reason of its own, and does not bind a log', () => {
  const broken: readonly [string, Buffer][] = [
    ['record-count', build({}, 0)],
    ['record-count', altered(build(), (b) => b.writeInt32BE(2, BATCH_FIELD.recordCount))],
    ['control', build({ isControl: true })],
    ['sequence', build({ producerId: 1, producerEpoch: 0 })],
    ['transactional', build({ isTransactional: true })],
    ['timestamp-type', build({ logAppendTimeMs: BATCH_TIME })],
    ['compression-type', altered(build(), (b) => b.writeUInt16BE(5, BATCH_FIELD.attributes))],
    ['base-offset', build({ baseOffset: 1 })],
  ];
  for (const [reason, bytes] of broken) {
    expect(check(bytes)).toBe(reason);
    expect([reason, check(bytes, FROM_LOG)]).toEqual([reason, 'none']);
  }
});

test('impossible counts and offsets are damage in a log; of a client they are a rule that it broke', () => {
  const set = (at: number, value: number) => altered(build(), (b) => b.writeInt32BE(value, at));
  const impossible: readonly (readonly [reason: string, bytes: Buffer])[] = [
    ['record-count', set(BATCH_FIELD.recordCount, -1)],
    ['record-count', set(BATCH_FIELD.recordCount, 4)],
    ['record-count', set(BATCH_FIELD.lastOffsetDelta, -1)],
    ['record-count', set(BATCH_FIELD.lastOffsetDelta, 1)],
    ['base-offset', altered(build(), (b) => b.writeBigInt64BE(-1n, BATCH_FIELD.baseOffset))],
  ];
  for (const [reason, bytes] of impossible) {
    // A client repeats what it is told to be damaged (error 2), and gives up what is refused (87).
    expect(check(bytes)).toBe(reason);
    expect(check(bytes, FROM_LOG)).toBe('offsets');
  }
});

test.each(['baseOffset', 'baseTimestamp', 'maxTimestamp', 'producerId'] as const)(
  '%s beyond the safe integers is refused, not rounded',
  (field) => {
    for (const value of [2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 53n)]) {
      const bytes = altered(build(), (b) => b.writeBigInt64BE(value, BATCH_FIELD[field]));
      expect(check(bytes, FROM_LOG)).toBe('number-range');
    }
  },
);

test('an offset range that ends beyond the safe integers is refused', () => {
  const bytes = altered(build(), (b) => b.writeBigInt64BE(2n ** 53n - 2n, 0));
  expect(check(bytes, FROM_LOG)).toBe('number-range');
});

test('the checksum is left out when asked', () => {
  const bytes = Buffer.from(build());
  bytes[70] = (bytes[70] ?? 0) ^ 1;
  expect(check(bytes)).toBe('crc');
  expect(check(bytes, { verifyCrc: false })).toBe('none');
});

test('errors carry a stable code and say what was found', () => {
  const batch = build({ isControl: true });
  const run = (bytes: Buffer) => validateBatch(bytes, 0, bytes.length, createBatchHeader());
  expect(() => run(batch)).toThrow(
    expect.objectContaining({ name: 'InvalidBatchError', code: 'LOGLOFT_INVALID_BATCH' }),
  );
  expect(() => run(batch)).toThrow(InvalidBatchError);
  const damaged = Buffer.from(batch);
  damaged.writeUInt32BE(0xdeadbeef, BATCH_FIELD.crc);
  expect(() => run(damaged)).toThrow(
    expect.objectContaining({ name: 'CorruptBatchError', code: 'LOGLOFT_CORRUPT_BATCH' }),
  );
  expect(() => run(damaged)).toThrow(/CRC deadbeef/);
  expect(() => run(damaged)).toThrow(CorruptBatchError);
});
