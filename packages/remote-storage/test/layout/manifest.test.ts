import { expect, test } from 'vitest';
import { assertPlain, plainChunkIndex, storedLogBytes } from '../../src/layout/chunk-index.ts';
import { decodeManifest, encodeManifest, type SegmentManifest } from '../../src/layout/manifest.ts';
import { SEGMENT } from '../segment-fixture.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (json: string): Uint8Array => new TextEncoder().encode(json);

const ONE_BYTE_EACH = {
  offset: { position: 0, size: 1 },
  timestamp: { position: 1, size: 1 },
  producerSnapshot: { position: 2, size: 1 },
  leaderEpoch: { position: 3, size: 1 },
};

// What Aiven's plugin writes for the same values.
const AIVEN_SEGMENT = {
  ...SEGMENT,
  startOffset: 0,
  endOffset: 1000,
  segmentSizeInBytes: 100_500,
  segmentLeaderEpochs: [
    { epoch: 0, startOffset: 100 },
    { epoch: 1, startOffset: 200 },
    { epoch: 2, startOffset: 300 },
  ],
};
const AIVEN_CHUNKS = {
  type: 'fixed',
  originalChunkSize: 100,
  originalFileSize: 1000,
  transformedChunkSize: 110,
  finalTransformedChunkSize: 110,
} as const;
const AIVEN_JSON = (transaction: string): string =>
  '{"version":"1","chunkIndex":{"type":"fixed","originalChunkSize":100,"originalFileSize":1000,' +
  '"transformedChunkSize":110,"finalTransformedChunkSize":110},"segmentIndexes":{' +
  '"offset":{"position":0,"size":1},"timestamp":{"position":1,"size":1},' +
  '"producerSnapshot":{"position":2,"size":1},"leaderEpoch":{"position":3,"size":1},' +
  `"transaction":${transaction}},"compression":false,"remoteLogSegmentMetadata":{` +
  '"remoteLogSegmentId":{"topicIdPartition":{"topicId":"lZ6vvmajTWKDBUTV6SQAtQ",' +
  '"topicPartition":{"topic":"topic1","partition":42}},"id":"adh9f8BMS4anaUnD8KWfWg"},' +
  '"startOffset":0,"endOffset":1000,"maxTimestampMs":1000000000,"brokerId":2,' +
  '"eventTimestampMs":2000000000,"segmentLeaderEpochs":{"0":100,"1":200,"2":300}}}';

test("a manifest is written as Aiven's plugin writes it, byte for byte", () => {
  const manifest = {
    chunkIndex: AIVEN_CHUNKS,
    segmentIndexes: { ...ONE_BYTE_EACH, transaction: { position: 4, size: 1 } },
  };
  expect(text(encodeManifest(manifest, AIVEN_SEGMENT))).toBe(AIVEN_JSON('{"position":4,"size":1}'));
  const without = {
    chunkIndex: AIVEN_CHUNKS,
    segmentIndexes: { ...ONE_BYTE_EACH, transaction: null },
  };
  expect(text(encodeManifest(without, AIVEN_SEGMENT))).toBe(AIVEN_JSON('null'));
});

test("a manifest of Aiven's plugin is read, whatever it says of the offsets", () => {
  const json = AIVEN_JSON('null').replace('"endOffset":1000', '"endOffset":9223372036854775807');
  expect(decodeManifest(bytes(json))).toEqual({
    chunkIndex: AIVEN_CHUNKS,
    segmentIndexes: { ...ONE_BYTE_EACH, transaction: null },
  });
});

test('what was written is read back, and only known properties are written', () => {
  const manifest: SegmentManifest = {
    chunkIndex: { ...plainChunkIndex(250, 100) },
    segmentIndexes: { ...ONE_BYTE_EACH, transaction: { position: 4, size: 0 } },
  };
  const overfull = { ...manifest, chunkIndex: { ...manifest.chunkIndex, extra: 1 } };
  expect(decodeManifest(encodeManifest(overfull, SEGMENT))).toEqual(manifest);
  expect(text(encodeManifest(overfull, SEGMENT))).not.toContain('extra');
});

test.each([
  ['a whole number of chunks', 300, 100, 100],
  ['a shorter last chunk', 250, 100, 50],
  ['one chunk that is not full', 30, 100, 30],
  ['one chunk that is just full', 100, 100, 100],
  ['no bytes at all', 0, 100, 0],
])('the chunk index of a plain log covers %s', (_, fileBytes, chunkBytes, last) => {
  const index = plainChunkIndex(fileBytes, chunkBytes);
  expect(index).toEqual({
    type: 'fixed',
    originalChunkSize: chunkBytes,
    originalFileSize: fileBytes,
    transformedChunkSize: chunkBytes,
    finalTransformedChunkSize: last,
  });
  expect(storedLogBytes(index)).toBe(fileBytes);
  expect(() => assertPlain(index)).not.toThrow();
});

test('the stored log of chunks that grew by 10 bytes has 250 bytes, and is not plain', () => {
  const index = {
    type: 'fixed',
    originalChunkSize: 100,
    originalFileSize: 250,
    transformedChunkSize: 110,
    finalTransformedChunkSize: 30,
  } as const;
  expect(storedLogBytes(index)).toBe(250);
  expect(() => assertPlain(index)).toThrow(/stored at their own size/);
});

test.each([
  ['no JSON', 'manifest'],
  ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['an array', '[]'],
  ['null', 'null'],
  ['another version', AIVEN_JSON('null').replace('"version":"1"', '"version":"2"')],
  ['a version that is a number', AIVEN_JSON('null').replace('"version":"1"', '"version":1')],
  ['an unknown chunk index', AIVEN_JSON('null').replace('"fixed"', '"other"')],
  [
    'a chunk of no bytes',
    AIVEN_JSON('null').replace('"originalChunkSize":100', '"originalChunkSize":0'),
  ],
  ['a negative size', AIVEN_JSON('null').replace('"position":3', '"position":-3')],
  ['a size beyond 2^31', AIVEN_JSON('null').replace('"position":3', '"position":2147483648')],
  ['a fraction', AIVEN_JSON('null').replace('"position":3', '"position":3.5')],
  ['a size that is a text', AIVEN_JSON('null').replace('"position":3', '"position":"3"')],
  ['no leader epochs', AIVEN_JSON('null').replace('"leaderEpoch"', '"leaderepoch"')],
  ['no word on the transaction index', AIVEN_JSON('null').replace(',"transaction":null', '')],
])('a manifest with %s is corrupt', (_, manifest) => {
  const given = typeof manifest === 'string' ? bytes(manifest) : manifest;
  expect(() => decodeManifest(given)).toThrow(expect.objectContaining({ kind: 'corrupt' }));
});

test.each([
  ['compressed', AIVEN_JSON('null').replace('"compression":false', '"compression":true')],
  ['compressed', AIVEN_JSON('null').replace('"fixed"', '"variable"')],
  [
    'encrypted',
    AIVEN_JSON('null').replace(
      '"compression":false',
      '"compression":false,"encryption":{"dataKey":"a:b","aad":"c"}',
    ),
  ],
])('a segment that is %s is refused by name', (how, json) => {
  expect(() => decodeManifest(bytes(json))).toThrow(
    expect.objectContaining({
      kind: 'invalid-configuration',
      message: expect.stringContaining(how),
    }),
  );
});
