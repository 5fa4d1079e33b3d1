import { describe, expect, test } from 'vitest';
import { COMPRESSION, codecOf, DecompressionLimitError } from '../../src/index.ts';
import { hex, reasonOf } from '../fixtures.ts';
import { sampleText } from '../sample-text.ts';

const snappy = codecOf(COMPRESSION.snappy);
const SAMPLE = Buffer.from(sampleText(100_000));
const XERIAL = '82534e4150505900 00000001 00000001';

function decompress(encoded: string, limit = 1000): string {
  return snappy.decompress(hex(encoded), limit).toString('latin1');
}

describe('raw blocks', () => {
  test('each element of the format is read', () => {
    // 5 bytes "abcde", then a copy of 4 from 5 back, of 3 from 4 back, of 2 from 1 back.
    expect(decompress('09 10 6162636465 01 05')).toBe('abcdeabcd');
    expect(decompress('08 10 6162636465 0a 0400')).toBe('abcdebcd');
    expect(decompress('07 10 6162636465 07 01000000')).toBe('abcdeee');
  });

  test('a copy may overlap what it writes', () => {
    expect(decompress('41 00 61 fe 0100')).toBe('a'.repeat(65));
    expect(decompress('42 04 6162 fe 0200')).toBe('ab'.repeat(33));
  });

  test('literals with lengths of one to four bytes are read', () => {
    const content = '7a'.repeat(100);
    for (const tag of ['f0 63', 'f4 6300', 'f8 630000', 'fc 63000000']) {
      expect(decompress(`64 ${tag} ${content}`)).toBe('z'.repeat(100));
    }
  });

  test.each([
    ['a literal past the end', '05 10 616263'],
    ['a literal length past the end', '05 f4 01'],
    ['a literal of four gigabytes', '05 fc ffffffff 61'],
    ['a copy from before the start', '08 00 61 09 02'],
    ['a copy from no distance', '08 00 61 09 00'],
    ['a copy without its distance', '08 00 61 0a 01'],
    ['more content than declared', '01 04 6162'],
    ['less content than declared', '03 04 6162'],
    ['a declared length of six bytes', '808080808001 00 61'],
    ['a declared length beyond 32 bits', 'ffffffff7f 00 61'],
    ['a declared length that no such input can have', 'ffffffff0f 00 61'],
  ])('%s is corrupt', (_, encoded) => {
    expect(reasonOf(() => decompress(encoded, 2 ** 40))).toBe('compressed-data');
  });

  test('a declared length beyond the bound is refused before memory is taken', () => {
    expect(() => decompress('41 00 61 fe 0100', 64)).toThrow(DecompressionLimitError);
  });
});

describe('the xerial framing', () => {
  test('it is written as Java clients write it, in chunks of 32 KiB', () => {
    const data = snappy.compress(SAMPLE);
    expect(data.subarray(0, 16)).toEqual(hex(XERIAL));
    let chunks = 0;
    for (let at = 16; at < data.length; at += 4 + data.readInt32BE(at)) chunks += 1;
    expect(chunks).toBe(4);
    expect(snappy.decompress(data, SAMPLE.length).equals(SAMPLE)).toBe(true);
  });

  test('the raw framing is written on demand', () => {
    const data = snappy.compress(SAMPLE, { snappyFraming: 'raw' });
    // 100,000 as a varint.
    expect(data.subarray(0, 3)).toEqual(hex('a08d06'));
    expect(snappy.decompress(data, SAMPLE.length).equals(SAMPLE)).toBe(true);
  });

  test('chunks are joined, and copies do not reach into the chunk before', () => {
    expect(decompress(`${XERIAL} 00000003 01 00 61 00000004 02 04 6263`)).toBe('abc');
    const reaching = `${XERIAL} 00000003 01 00 61 00000003 04 01 01`;
    expect(reasonOf(() => decompress(reaching))).toBe('compressed-data');
  });

  test('the bound is one of all chunks together', () => {
    const chunk = '00000006 41 00 61 fe 0100';
    expect(decompress(`${XERIAL} ${chunk} ${chunk}`, 130)).toHaveLength(130);
    expect(() => decompress(`${XERIAL} ${chunk} ${chunk}`, 129)).toThrow(DecompressionLimitError);
  });

  test.each([
    ['half a header', '82534e4150505900 0000'],
    ['a version from the future', '82534e4150505900 00000002 00000002'],
    ['half a chunk length', `${XERIAL} 0000`],
    ['a chunk past the end', `${XERIAL} 00000004 01 00 61`],
    ['a negative chunk length', `${XERIAL} ffffffff 01 00 61`],
    ['a chunk of no bytes', `${XERIAL} 00000000`],
  ])('%s is corrupt', (_, encoded) => {
    expect(reasonOf(() => decompress(encoded))).toBe('compressed-data');
  });
});
