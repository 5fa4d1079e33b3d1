import fc from 'fast-check';
import type { BatchBuilderOptions, CompressionName, RecordInput } from '../src/index.ts';

export const CODECS: readonly CompressionName[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

const bytesOrNull = fc.option(
  fc.uint8Array({ maxLength: 80 }).map((content) => Buffer.from(content)),
  { nil: null },
);

/** Records as anybody might send them; names that are special to JavaScript among the headers. */
export const recordInput: fc.Arbitrary<RecordInput & { key: Buffer | null; value: Buffer | null }> =
  fc.record({
    timestamp: fc.oneof(
      fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
      fc.integer({ min: -1, max: 2 ** 52 }),
    ),
    key: bytesOrNull,
    value: bytesOrNull,
    headers: fc.array(
      fc.record({
        key: fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 12 }),
          fc.constantFrom('', '__proto__', 'constructor'),
        ),
        value: bytesOrNull,
      }),
      { maxLength: 4 },
    ),
  });

/** Settings of batches that agree with one another. */
export const batchOptions: fc.Arbitrary<BatchBuilderOptions> = fc.record({
  baseOffset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 52 })),
  partitionLeaderEpoch: fc.integer({ min: -1 }),
  compression: fc.constantFrom(...CODECS),
  producerId: fc.oneof(fc.constant(-1), fc.maxSafeNat()),
  producerEpoch: fc.integer({ min: -1, max: 32767 }),
  baseSequence: fc.integer({ min: -1 }),
  isTransactional: fc.boolean(),
  initialBytes: fc.integer({ min: 61, max: 300 }),
});
