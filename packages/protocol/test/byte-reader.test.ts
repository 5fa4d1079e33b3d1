import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteReader, ByteWriter, MalformedMessageError, ZERO_UUID } from '../src/index.ts';

function readerOf(hex: string): ByteReader {
  return new ByteReader(Buffer.from(hex, 'hex'));
}

describe('ByteReader', () => {
  test('numbers are big-endian and signed unless they are said not to be', () => {
    const reader = readerOf('80' + '8000' + '8000' + '80000000' + '80000000' + '02' + '00');
    expect(reader.readInt8()).toBe(-128);
    expect(reader.readInt16()).toBe(-32_768);
    expect(reader.readUint16()).toBe(32_768);
    expect(reader.readInt32()).toBe(-2_147_483_648);
    expect(reader.readUint32()).toBe(2_147_483_648);
    expect(reader.readBoolean()).toBe(true);
    expect(reader.readBoolean()).toBe(false);
    expect(reader.remaining).toBe(0);
  });

  test.each([
    ['7fffffffffffffff', Number.MAX_SAFE_INTEGER],
    ['0020000000000000', Number.MAX_SAFE_INTEGER],
    ['001fffffffffffff', Number.MAX_SAFE_INTEGER],
    ['001ffffffffffffe', Number.MAX_SAFE_INTEGER - 1],
    ['00000000ffffffff', 0xffff_ffff],
    ['ffffffffffffffff', -1],
    ['ffffffff00000000', -0x1_0000_0000],
    ['ffe0000000000001', Number.MIN_SAFE_INTEGER],
    ['ffdfffffffffffff', Number.MIN_SAFE_INTEGER],
    ['8000000000000000', Number.MIN_SAFE_INTEGER],
  ])('the 64-bit number %s reads as %d', (hex, value) => {
    expect(readerOf(hex).readInt64()).toBe(value);
  });

  test('a uuid is text that tools print, and the zero uuid has its constant', () => {
    expect(readerOf('00'.repeat(16)).readUuid()).toBe(ZERO_UUID);
    expect(readerOf('82671ccb80b8c50e290462e162916902').readUuid()).toBe('gmccy4C4xQ4pBGLhYpFpAg');
  });

  test.each([
    ['00', 0],
    ['7f', 127],
    ['8001', 128],
    ['ffffffff0f', 0xffff_ffff],
    ['8000', 0],
  ])('the variable-length number %s reads as %d', (hex, value) => {
    expect(readerOf(hex).readUnsignedVarint()).toBe(value);
  });

  test('bytes are views of the frame, also when the frame is part of a slab', () => {
    const slab = Buffer.alloc(64);
    const frame = slab.subarray(20, 32);
    frame.writeInt32BE(3, 0);
    frame.write('abc', 4);
    const bytes = new ByteReader(frame).readNullableBytes();
    expect(bytes?.toString()).toBe('abc');
    slab.write('xyz', 24);
    expect(bytes?.toString()).toBe('xyz');
  });

  test('a reader goes from frame to frame, within one slab and to another', () => {
    const slab = Buffer.from('0000000100000002', 'hex');
    const reader = new ByteReader(slab.subarray(0, 4));
    expect(reader.readInt32()).toBe(1);
    reader.reset(slab.subarray(4, 8));
    expect(reader.readInt32()).toBe(2);
    reader.reset(Buffer.from('00000000000000ff', 'hex'), 4);
    expect(reader.position).toBe(4);
    expect(reader.readInt32()).toBe(255);
  });

  test('an offset behind the end of the frame leaves nothing to read', () => {
    const reader = readerOf('00');
    reader.reset(Buffer.alloc(2), 5);
    expect(reader.remaining).toBe(0);
    expect(() => reader.readInt8()).toThrow(MalformedMessageError);
  });

  test('bytes behind the frame in the same slab are never read', () => {
    const slab = Buffer.alloc(100, 0x41);
    const frame = slab.subarray(10, 13);
    const reads: ((reader: ByteReader) => unknown)[] = [
      (reader) => reader.readInt32(),
      (reader) => reader.readInt64(),
      (reader) => reader.readFloat64(),
      (reader) => reader.readUuid(),
      (reader) => reader.readNullableString(),
      (reader) => reader.readNullableCompactString(),
      (reader) => reader.readNullableBytes(),
      (reader) => reader.readNullableCompactBytes(),
      (reader) => reader.skip(4),
    ];
    for (const read of reads)
      expect(() => read(new ByteReader(frame))).toThrow(MalformedMessageError);
  });

  test('text decodes alike whether it is met for the first time or again', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 60 })), (texts) => {
        const writer = new ByteWriter();
        for (const text of [...texts, ...texts]) writer.writeNullableCompactString(text);
        const reader = new ByteReader(Buffer.concat(writer.finish().chunks));
        for (const text of [...texts, ...texts]) {
          expect(reader.readNullableCompactString()).toBe(text);
        }
      }),
    );
  });

  test('text that is not UTF-8 decodes to replacement characters', () => {
    expect(readerOf('0003c3284f').readNullableString()).toBe('\ufffd(O');
  });
});
