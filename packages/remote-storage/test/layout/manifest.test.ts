import { expect, test } from 'vitest';
import { assertConsistent } from '../../src/layout/assert-consistent.ts';
import { plainChunkIndex } from '../../src/layout/chunk-index.ts';
import { decodeManifest } from '../../src/layout/decode-manifest.ts';
import { encodeManifest } from '../../src/layout/encode-manifest.ts';
import { evenChunkIndex, FixedChunkIndex } from '../../src/layout/fixed-chunk-index.ts';
import type { SegmentManifest } from '../../src/layout/manifest.ts';
import { VariableChunkIndex } from '../../src/layout/variable-chunk-index.ts';
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
const AIVEN_CHUNKS = new FixedChunkIndex({
  originalChunkSize: 100,
  originalFileSize: 1000,
  transformedChunkSize: 110,
  finalTransformedChunkSize: 110,
});
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
    isCompressed: false,
  });
});

const CUT = { originalChunkSize: 100, originalFileSize: 250 };
const AAD = Uint8Array.from({ length: 32 }, (_, index) => index);

test.each([
  ['plain', plainChunkIndex(250, 100), false, undefined],
  ['encrypted', evenChunkIndex(CUT, 28), false, { dataKey: 'k1:AAAA', aad: AAD }],
  ['compressed', new VariableChunkIndex(CUT, [40, 50, 30]), true, undefined],
  [
    'compressed and encrypted',
    new VariableChunkIndex(CUT, [68, 78, 58]),
    true,
    { dataKey: 'k"1:AAAA', aad: AAD },
  ],
])(
  'the manifest of a segment that is %s is read back',
  (_, chunkIndex, isCompressed, encryption) => {
    const segmentIndexes = { ...ONE_BYTE_EACH, transaction: { position: 4, size: 0 } };
    const manifest: SegmentManifest = { chunkIndex, segmentIndexes, isCompressed, encryption };
    const json = text(encodeManifest(manifest, SEGMENT));
    const read = decodeManifest(bytes(json));
    expect(read).toEqual(manifest);
    expect(read.chunkIndex.storedBytes).toBe(chunkIndex.storedBytes);
    expect([0, 1, 2].map((index) => read.chunkIndex.at(index))).toEqual(
      [0, 1, 2].map((index) => chunkIndex.at(index)),
    );
    expect(Object.keys(JSON.parse(json))).toEqual([
      'version',
      'chunkIndex',
      'segmentIndexes',
      'compression',
      ...(encryption === undefined ? [] : ['encryption']),
      'remoteLogSegmentMetadata',
    ]);
  },
);

test.each([
  ['a whole number of chunks', 300, 100, 100],
  ['a shorter last chunk', 250, 100, 50],
  ['one chunk that is not full', 30, 100, 30],
  ['one chunk that is just full', 100, 100, 100],
  ['no bytes at all', 0, 100, 0],
])('the chunk index of a plain log covers %s', (_, fileBytes, chunkBytes, last) => {
  const index = plainChunkIndex(fileBytes, chunkBytes);
  expect(index).toEqual(
    new FixedChunkIndex({
      originalChunkSize: chunkBytes,
      originalFileSize: fileBytes,
      transformedChunkSize: chunkBytes,
      finalTransformedChunkSize: last,
    }),
  );
  expect(index.storedBytes).toBe(fileBytes);
});

const INDEXES = { ...ONE_BYTE_EACH, transaction: null };
const ENCRYPTION = { dataKey: 'a:AAAA', aad: AAD };

test.each<[string, SegmentManifest]>([
  ['plain chunks that grew', { chunkIndex: AIVEN_CHUNKS, segmentIndexes: INDEXES }],
  [
    'encrypted chunks that did not grow',
    { chunkIndex: plainChunkIndex(250, 100), segmentIndexes: INDEXES, encryption: ENCRYPTION },
  ],
  [
    'chunks that vary in size, but are not compressed',
    { chunkIndex: new VariableChunkIndex(CUT, [1, 2, 3]), segmentIndexes: INDEXES },
  ],
  [
    'indexes that leave a gap',
    {
      chunkIndex: plainChunkIndex(250, 100),
      segmentIndexes: { ...INDEXES, transaction: { position: 5, size: 1 } },
    },
  ],
  [
    'indexes that overlap',
    {
      chunkIndex: plainChunkIndex(250, 100),
      segmentIndexes: { ...INDEXES, timestamp: { position: 0, size: 1 } },
    },
  ],
  [
    'an encrypted index of one byte',
    { chunkIndex: evenChunkIndex(CUT, 28), segmentIndexes: INDEXES, encryption: ENCRYPTION },
  ],
])('a manifest of %s contradicts itself, and is refused by its key', (_, manifest) => {
  expect(() => assertConsistent(manifest, 'the/key')).toThrow(
    expect.objectContaining({ kind: 'corrupt', message: expect.stringContaining('"the/key"') }),
  );
});

const variable = (list: string): string =>
  AIVEN_JSON('null').replace(
    /"chunkIndex":\{[^}]*\}/,
    `"chunkIndex":{"type":"variable","originalChunkSize":100,"originalFileSize":1000,"transformedChunks":${list}}`,
  );
const encrypted = (encryption: string): string =>
  AIVEN_JSON('null').replace(
    '"compression":false',
    `"compression":false,"encryption":${encryption}`,
  );

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
  [
    'a property of another version',
    AIVEN_JSON('null').replace('"compression"', '"checksum":1,"compression"'),
  ],
  ['encryption under another name', encrypted('null').replace('"encryption"', '"encryptinn"')],
  ['a chunk index with more to it', AIVEN_JSON('null').replace('"fixed"', '"fixed","x":1')],
  [
    'an index place with more to it',
    AIVEN_JSON('null').replace('"position":0', '"position":0,"x":1'),
  ],
  ['no word on compression', AIVEN_JSON('null').replace('"compression":false,', '')],
  [
    'an index that ends beyond 2^31',
    AIVEN_JSON('null').replace('"size":1', '"size":2147483647,"position":1'),
  ],
  [
    'a chunk larger than any',
    AIVEN_JSON('null').replace('"originalChunkSize":100', '"originalChunkSize":1073741824'),
  ],
  [
    'more stored bytes than an object can have',
    AIVEN_JSON('null').replace('"transformedChunkSize":110', '"transformedChunkSize":2000000000'),
  ],
  ['a list of no sizes', variable('"KLUv/SAEIQAAAAAAAA=="')],
  ['a list of another length', variable('"KLUv/SAPeQAAAAAAAwAAAAoBAAoAAAAe"')],
  ['a list that is no base64', variable('"KLUv/SAPeQAAAAAAAwAAAAoBAAoAAAA*"')],
  ['a list that is no text', variable('[1,2]')],
  ['encryption without a data key', encrypted('{"aad":"AAAA"}')],
  ['encryption without an aad', encrypted('{"dataKey":"a:AAAA"}')],
  ['an aad that is no base64', encrypted('{"dataKey":"a:AAAA","aad":"*"}')],
  ['encryption that is a text', encrypted('"yes"')],
])('a manifest with %s is corrupt, and the message names the object', (_, manifest) => {
  const given = typeof manifest === 'string' ? bytes(manifest) : manifest;
  expect(() => decodeManifest(given, 'the/key')).toThrow(
    expect.objectContaining({
      kind: 'corrupt',
      key: 'the/key',
      message: expect.stringContaining('"the/key"'),
    }),
  );
});
