import { describe, expect, test } from 'vitest';
import { xxh32 } from '../../src/compression/xxh32.ts';
import { COMPRESSION, codecOf, DecompressionLimitError } from '../../src/index.ts';
import { hex, reasonOf } from '../fixtures.ts';

const lz4 = codecOf(COMPRESSION.lz4);

/** A frame with the flags and block size given, a right header checksum, and then `rest`. */
function frame(flags: number, blockSize: number, rest: string): Buffer {
  const descriptor = Buffer.from([flags, blockSize]);
  const checksum = Buffer.from([(xxh32(descriptor) >>> 8) & 0xff]);
  return Buffer.concat([hex('04224d18'), descriptor, checksum, hex(rest)]);
}

/** Independent blocks of 64 KiB, no checksums: what all clients write. */
const plain = (rest: string): Buffer => frame(0x60, 0x40, rest);

function decompress(data: Buffer, limit = 100_000): string {
  return lz4.decompress(data, limit).toString('latin1');
}

test('xxHash32 gives the published answers', () => {
  expect(xxh32(Buffer.alloc(0))).toBe(0x02cc5d05);
  expect(xxh32(Buffer.from('a'))).toBe(0x550d7456);
  expect(xxh32(Buffer.from('abc'))).toBe(0x32d153ff);
  expect(xxh32(Buffer.from('Nobody inspects the spammish repetition'))).toBe(0xe2293b2f);
});

test('frames are written as all clients read them: independent blocks, no checksums', () => {
  const data = lz4.compress(Buffer.alloc(100_000, 'kafka'));
  expect(data.subarray(0, 4)).toEqual(hex('04224d18'));
  expect((data[4] ?? 0) & 0xfd).toBe(0x60);
});

describe('blocks', () => {
  test('stored blocks and sequences are read', () => {
    expect(decompress(plain('03000080 616263 00000000'))).toBe('abc');
    // Two literals, a match of 4 + 3 from 2 back, then one literal.
    expect(decompress(plain('07000000 23 6162 0200 10 7a 00000000'))).toBe('ababababaz');
    expect(decompress(plain('05000000 40 61626364 00000000'))).toBe('abcd');
  });

  test('lengths of fifteen and more go on in further bytes', () => {
    const literals = '61'.repeat(15 + 255 + 3);
    expect(decompress(plain(`14010000 f0 ff03 ${literals} 00000000`))).toBe('a'.repeat(273));
    expect(decompress(plain('08000000 1f 61 0100 ff01 10 62 00000000'))).toBe(
      `${'a'.repeat(1 + 4 + 15 + 256)}b`,
    );
  });

  test('independent blocks do not reach back into one another, linked ones do', () => {
    const blocks = '03000080 616263 05000000 00 0300 10 7a 00000000';
    expect(reasonOf(() => decompress(plain(blocks)))).toBe('compressed-data');
    expect(decompress(frame(0x40, 0x40, blocks))).toBe('abcabcaz');
  });

  test('linked blocks do not reach into the frame before', () => {
    const first = frame(0x40, 0x40, '03000080 616263 00000000');
    const second = frame(0x40, 0x40, '05000000 00 0300 10 7a 00000000');
    expect(reasonOf(() => decompress(Buffer.concat([first, second])))).toBe('compressed-data');
  });

  test.each([
    ['a distance of zero', '05000000 10 61 0000 00'],
    ['a distance to before the start', '05000000 10 61 0200 00'],
    ['literals past the block', '02000000 50 61'],
    ['half a distance', '03000000 10 61 01'],
    ['a length that does not end', '03000000 f0 ff ff'],
    ['a match length that does not end', '06000000 1f 61 0100 ff ff'],
    ['a block past the data', '09000000 10 61'],
    ['a stored block larger than its frame allows', `01000180 ${'00'.repeat(65_537)}`],
  ])('%s is corrupt', (_, block) => {
    expect(reasonOf(() => decompress(plain(`${block} 00000000`)))).toBe('compressed-data');
  });

  test('a block that grows beyond the size of its frame is corrupt', () => {
    const run = `${'ff'.repeat(300)}00`;
    const block = `1f 61 0100 ${run} 10 62`;
    const size = hex(block).length.toString(16).padStart(4, '0');
    const data = plain(`${size.slice(2)}${size.slice(0, 2)}0000 ${block} 00000000`);
    expect(reasonOf(() => decompress(data))).toBe('compressed-data');
  });
});

describe('frames', () => {
  test('several are joined, and skippable ones passed over', () => {
    const skippable = hex('5e2a4d18 03000000 ffffff');
    const a = plain('01000080 61 00000000');
    const b = plain('01000080 62 00000000');
    expect(decompress(Buffer.concat([skippable, a, skippable, b, skippable]))).toBe('ab');
    expect(() => decompress(Buffer.concat([a, b]), 1)).toThrow(DecompressionLimitError);
  });

  test.each([
    ['another magic', hex('05224d18 6040 82 00000000')],
    ['the legacy format', hex('02214c18 00000000')],
    ['version 2', frame(0xa0, 0x40, '00000000')],
    ['a dictionary', frame(0x61, 0x40, '00000000 00000000')],
    ['a block size that is not assigned', frame(0x60, 0x30, '00000000')],
    ['a wrong header checksum', hex('04224d18 6040 83 00000000')],
    ['no end mark', plain('01000080 61')],
    ['bytes after the frame', plain('00000000 616263')],
    ['a skippable frame past the end', hex('502a4d18 04000000 ffffff')],
    ['half a magic', hex('0422')],
  ])('%s is corrupt', (_, data) => {
    expect(reasonOf(() => decompress(data))).toBe('compressed-data');
  });

  test('checksums of blocks and of the content are verified', () => {
    const sum = (text: string) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(xxh32(Buffer.from(text)));
      return bytes.toString('hex');
    };
    expect(decompress(frame(0x70, 0x40, `01000080 61 ${sum('a')} 00000000`))).toBe('a');
    expect(decompress(frame(0x64, 0x40, `01000080 61 00000000 ${sum('a')}`))).toBe('a');
    const wrong = [
      frame(0x70, 0x40, `01000080 61 ${sum('b')} 00000000`),
      frame(0x64, 0x40, `01000080 61 00000000 ${sum('b')}`),
    ];
    for (const data of wrong) expect(reasonOf(() => decompress(data))).toBe('compressed-data');
  });
});
