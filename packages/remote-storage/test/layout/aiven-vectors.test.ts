import { createHash } from 'node:crypto';
import { systemClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { memorySource } from '../../src/index.ts';
import {
  chunkSizesText,
  decodeChunkSizes,
  encodeChunkSizes,
  parseChunkSizesText,
} from '../../src/layout/chunk-sizes.ts';
import { decodeCustomMetadata, encodeCustomMetadata } from '../../src/layout/custom-metadata.ts';
import { evenChunkIndex, FixedChunkIndex } from '../../src/layout/fixed-chunk-index.ts';
import { VariableChunkIndex } from '../../src/layout/variable-chunk-index.ts';
import { CompressedSource } from '../../src/transform/compressed-source.ts';
import { encryptedSource } from '../../src/transform/encrypted-source.ts';
import { SegmentCipher } from '../../src/transform/segment-cipher.ts';
import { SegmentDecoder } from '../../src/transform/segment-decoder.ts';
import { allOf, fixedEncryptor } from './fixed-encryptor.ts';

// Bytes that Aiven's plugin made, or that Java's AES/GCM and zstd-jni made as it does.

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

test.each([
  [
    '[0,1000,2,44002,369]',
    [0, 1000, 2, 44002, 369],
    '00000005 00000000 02 0000 03e8 0002 abe2 00000171',
  ],
  ['[213]', [213], '00000001 000000d5'],
  ['[]', [], '00000000'],
  ['[10,20,30]', [10, 20, 30], '00000003 0000000a 01 00 0a 0000001e'],
])('vector: the list of chunk sizes %s', (_, sizes, bytes) => {
  expect(Buffer.from(encodeChunkSizes(sizes)).toString('hex')).toBe(hex(bytes).toString('hex'));
  expect([...decodeChunkSizes(hex(bytes))]).toEqual(sizes);
});

test.each([
  ['[10,20,30]', [10, 20, 30], 'KLUv/SAPeQAAAAAAAwAAAAoBAAoAAAAe'],
  ['[51,51,50]', [51, 51, 50], 'KLUv/SAPeQAAAAAAAwAAADMBAAAAAAAy'],
])('vector: the list %s as base64 of a zstd frame', (_, sizes, text) => {
  expect(chunkSizesText(sizes)).toBe(text);
  expect([...parseChunkSizesText(text)]).toEqual(sizes);
});

test('vector: custom metadata of REMOTE_SIZE 100 and OBJECT_KEY "foo"', () => {
  const fields = { remoteSize: 100, objectKey: 'foo' };
  const bytes = hex('02 0002c801 020404666f6f');
  expect(bytes).toHaveLength(11);
  expect(encodeCustomMetadata(fields)).toEqual(Uint8Array.from(bytes));
  expect(decodeCustomMetadata(bytes)).toEqual(fields);
});

const DATA_KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const AAD = Uint8Array.from({ length: 32 }, (_, index) => 0xff - index);

test('vector: the AAD in base64', () => {
  expect(Buffer.from(AAD).toString('base64')).toBe('//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=');
});

test('vector: "hello tiered storage" encrypted with AES-256-GCM', async () => {
  const cipher = new SegmentCipher(DATA_KEY, AAD);
  const plain = Buffer.from('hello tiered storage');
  const iv = hex('000102030405060708090a0b');
  const stored = hex(
    '000102030405060708090a0b2f67ba77aac5b672e833f2ef919a0c02f1b7e051445e9c5b49d84248d93db8b66ba77212',
  );
  const encryption = cipher.encrypt(iv);
  expect(Buffer.concat([iv, encryption.update(plain), encryption.end()])).toEqual(stored);
  expect(Buffer.from(await cipher.decrypt(stored, systemClock))).toEqual(plain);
  const encryptor = fixedEncryptor({ dataKey: DATA_KEY, aad: AAD, iv: () => iv });
  expect(await allOf(encryptedSource(memorySource(plain), encryptor, 100))).toEqual(stored);
});

const LOG = Uint8Array.from({ length: 250 }, (_, index) => index % 7);
const LOG_OBJECT = hex(
  '00000000000000000000000026099a239548f6bd0890a9341a2f959cd44256f98199618776ba0538ca7766fc70dc83427785da' +
    '0000000000000000000000013d6390016490451e0e16533ae8a33cf7149e1cfecdaa55400881535a808841fe1a35efce576f67' +
    '000000000000000000000002e1c401809479b7d1b93538147141ea8e85163518c2ef70044351a89b045542d4476fa6c3fd55',
);
const CUT = { originalChunkSize: 100, originalFileSize: 250 };
const chunkIv = (chunk: number): Uint8Array => Buffer.concat([Buffer.alloc(11), Buffer.of(chunk)]);

async function decodeAll(stored: Uint8Array, index: VariableChunkIndex): Promise<Buffer> {
  const cipher = new SegmentCipher(DATA_KEY, AAD);
  const decoder = new SegmentDecoder({ clock: systemClock, isCompressed: true, cipher });
  const chunks: Uint8Array[] = [];
  for (let chunk = 0; chunk < index.count; chunk += 1) {
    const place = index.at(chunk);
    const bytes = stored.subarray(place.storedStart, place.storedStart + place.storedBytes);
    chunks.push(await decoder.chunk(bytes, { ...place, key: 'the log' }));
  }
  return Buffer.concat(chunks);
}

test('vector: the SHA-256 of the log of 250 bytes', () => {
  expect(createHash('sha256').update(LOG).digest('hex')).toBe(
    'bd498080f4df08f6e910cc3cfa00f7ce11d813b7365e10d99bc3c55477f26f4d',
  );
});

test('vector: the whole log object, compressed and encrypted, is read', async () => {
  expect(LOG_OBJECT).toHaveLength(152);
  const sizes = parseChunkSizesText('KLUv/SAPeQAAAAAAAwAAADMBAAAAAAAy');
  const index = new VariableChunkIndex(CUT, sizes);
  expect(index.storedBytes).toBe(152);
  expect(await decodeAll(LOG_OBJECT, index)).toEqual(Buffer.from(LOG));
});

test('vector: the whole log object, compressed and encrypted, is written so that it decodes to the same', async () => {
  const encryptor = fixedEncryptor({ dataKey: DATA_KEY, aad: AAD, iv: chunkIv });
  const source = new CompressedSource(memorySource(LOG), {
    chunkBytes: 100,
    encryptor,
    maxBytes: 10_000,
  });
  const stored = await allOf(source);
  const index = new VariableChunkIndex(CUT, source.storedSizes);
  expect(index.storedBytes).toBe(stored.byteLength);
  expect(
    [0, 1, 2].map((chunk) => [...stored.subarray(index.at(chunk).storedStart).subarray(0, 12)]),
  ).toEqual([0, 1, 2].map((chunk) => [...chunkIv(chunk)]));
  expect(await decodeAll(stored, index)).toEqual(Buffer.from(LOG));
});

test('vector: the fixed index 100/250/110/30', () => {
  const index = new FixedChunkIndex({
    ...CUT,
    transformedChunkSize: 110,
    finalTransformedChunkSize: 30,
  });
  expect(index.count).toBe(3);
  expect([0, 1, 2].map((chunk) => index.at(chunk))).toEqual([
    { originalStart: 0, originalBytes: 100, storedStart: 0, storedBytes: 110 },
    { originalStart: 100, originalBytes: 100, storedStart: 110, storedBytes: 110 },
    { originalStart: 200, originalBytes: 50, storedStart: 220, storedBytes: 30 },
  ]);
  expect([0, 99, 100, 249].map((offset) => index.holding(offset))).toEqual([0, 0, 1, 2]);
  expect(index.storedBytes).toBe(250);
});

test("an index over nothing has no chunks, whatever Aiven's plugin makes of it", () => {
  const index = evenChunkIndex({ originalChunkSize: 100, originalFileSize: 0 }, 28);
  expect([index.count, index.originalBytes, index.storedBytes]).toEqual([0, 0, 0]);
  expect(() => index.at(0)).toThrow(RangeError);
  expect(() => index.holding(0)).toThrow(RangeError);
});
