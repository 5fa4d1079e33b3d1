import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { COMPRESSION, codecOf, DecompressionLimitError } from '../../src/index.ts';
import { reasonOf } from '../fixtures.ts';

const gzip = codecOf(COMPRESSION.gzip);

test('members that follow one another are all read, and bound together', () => {
  const data = Buffer.concat([gzipSync(Buffer.alloc(90_000, 'a')), gzipSync('b')]);
  expect(gzip.decompress(data, 90_001).toString('latin1')).toBe(`${'a'.repeat(90_000)}b`);
  expect(() => gzip.decompress(data, 90_000)).toThrow(DecompressionLimitError);
});

test('a declared length that lies is found out, whichever way it lies', () => {
  const sound = gzipSync(Buffer.alloc(50_000, 'a'));
  for (const length of [0, 1, 49_999, 50_001, 0xffffffff]) {
    const data = Buffer.from(sound);
    data.writeUInt32LE(length, data.length - 4);
    expect(reasonOf(() => gzip.decompress(data, 60_000))).toBe('compressed-data');
  }
});

test('bytes after the last member are corrupt', () => {
  const data = Buffer.concat([gzipSync('content'), Buffer.from('junk')]);
  expect(reasonOf(() => gzip.decompress(data, 100))).toBe('compressed-data');
});

test('a level that does not exist is an error of the caller, not of the data', () => {
  expect(() => gzip.compress(Buffer.from('a'), { level: 99 })).toThrow(RangeError);
});
