import { describe, expect, test } from 'vitest';
import { ByteReader, ByteWriter, UnencodableValueError, ZERO_UUID } from '../src/index.ts';

function hexOf(write: (writer: ByteWriter) => void): string {
  const writer = new ByteWriter();
  write(writer);
  return Buffer.concat(writer.finish().chunks).toString('hex');
}

describe('ByteWriter', () => {
  test.each([
    [Number.MAX_SAFE_INTEGER, '7fffffffffffffff'],
    [Number.MAX_SAFE_INTEGER - 1, '001ffffffffffffe'],
    [0xffff_ffff, '00000000ffffffff'],
    [0, '0000000000000000'],
    [-1, 'ffffffffffffffff'],
    [-0x1_0000_0000, 'ffffffff00000000'],
    [Number.MIN_SAFE_INTEGER + 1, 'ffe0000000000002'],
    [Number.MIN_SAFE_INTEGER, '8000000000000000'],
  ])('the number %d is written in 64 bits as %s', (value, hex) => {
    expect(hexOf((writer) => writer.writeInt64(value))).toBe(hex);
  });

  test.each([
    [0, '00'],
    [127, '7f'],
    [128, '8001'],
    [16_383, 'ff7f'],
    [16_384, '808001'],
    [0x20_0000, '80808001'],
    [0x1000_0000, '8080808001'],
    [0xffff_ffff, 'ffffffff0f'],
  ])('the number %d takes as few groups as it needs: %s', (value, hex) => {
    expect(hexOf((writer) => writer.writeUnsignedVarint(value))).toBe(hex);
  });

  test('every type has its bytes', () => {
    const hex = hexOf((writer) => {
      writer.writeBoolean(true);
      writer.writeInt8(-1);
      writer.writeInt16(-2);
      writer.writeUint16(65_535);
      writer.writeInt32(-3);
      writer.writeUint32(0xffff_fffe);
      writer.writeFloat64(1);
      writer.writeNullableString('ä');
      writer.writeNullableCompactString('ab');
      writer.writeNullableString(null);
      writer.writeNullableCompactString(null);
      writer.writeNullableBytes(Buffer.from('z'));
      writer.writeNullableCompactBytes(null);
      writer.writeArrayCount(-1);
      writer.writeCompactArrayCount(-1);
      writer.writeUuid(ZERO_UUID);
    });
    expect(hex).toBe(
      [
        '01',
        'ff',
        'fffe',
        'ffff',
        'fffffffd',
        'fffffffe',
        '3ff0000000000000',
        '0002c3a4',
        '036162',
        'ffff',
        '00',
        '000000017a',
        '00',
        'ffffffff',
        '00',
        '00'.repeat(16),
      ].join(''),
    );
  });

  test.each<[string, (writer: ByteWriter) => void]>([
    ['int8 128', (writer) => writer.writeInt8(128)],
    ['int16 -32,769', (writer) => writer.writeInt16(-32_769)],
    ['uint16 -1', (writer) => writer.writeUint16(-1)],
    ['int32 2^31', (writer) => writer.writeInt32(2 ** 31)],
    ['int32 0.5', (writer) => writer.writeInt32(0.5)],
    ['int32 NaN', (writer) => writer.writeInt32(Number.NaN)],
    ['uint32 2^32', (writer) => writer.writeUint32(2 ** 32)],
    ['int64 2^53', (writer) => writer.writeInt64(2 ** 53)],
    ['int64 Infinity', (writer) => writer.writeInt64(Number.POSITIVE_INFINITY)],
    ['a varint below 0', (writer) => writer.writeUnsignedVarint(-1)],
    ['a uuid with hyphens', (writer) => writer.writeUuid('00000000-0000-0000-0000-000000000000')],
    ['a uuid of other characters', (writer) => writer.writeUuid('!!!!!!!!!!!!!!!!!!!!!!')],
    ['a string of 32,768 bytes', (writer) => writer.writeNullableString('x'.repeat(32_768))],
  ])('%s is refused', (_what, write) => {
    expect(() => write(new ByteWriter())).toThrow(UnencodableValueError);
  });

  test('large records are chunks of their own, the same memory in the same order', () => {
    const first = Buffer.alloc(5000, 1);
    const second = Buffer.alloc(1024, 2);
    const small = Buffer.alloc(1023, 3);
    const writer = new ByteWriter();
    writer.writeInt32(7);
    writer.writeNullableRecords([first, small, second]);
    writer.writeNullableCompactRecords(first);
    writer.writeInt8(9);
    const { chunks, bytes } = writer.finish();
    expect(chunks.filter((chunk) => chunk === first)).toHaveLength(2);
    expect(chunks.filter((chunk) => chunk === second)).toHaveLength(1);
    const whole = Buffer.concat(chunks);
    expect(whole.length).toBe(bytes);
    const reader = new ByteReader(whole);
    expect(reader.readInt32()).toBe(7);
    expect(reader.readNullableBytes()?.equals(Buffer.concat([first, small, second]))).toBe(true);
    expect(reader.readNullableCompactBytes()?.equals(first)).toBe(true);
    expect(reader.readInt8()).toBe(9);
  });

  test('null records are null in either form', () => {
    expect(hexOf((writer) => writer.writeNullableRecords(null))).toBe('ffffffff');
    expect(hexOf((writer) => writer.writeNullableCompactRecords(null))).toBe('00');
  });

  test('a sized piece may be short, long, nested and hold records', () => {
    for (const length of [0, 126, 127, 128, 5000, 20_000]) {
      const writer = new ByteWriter();
      writer.writeInt8(1);
      const outer = writer.beginSized();
      const inner = writer.beginSized();
      writer.writeNullableRecords(Buffer.alloc(length, 5));
      writer.endSized(inner);
      writer.endSized(outer);
      writer.writeInt8(2);
      const frame = writer.finish();
      expect(frame.chunks).toHaveLength(1);
      const reader = new ByteReader(Buffer.concat(frame.chunks));
      expect(reader.readInt8()).toBe(1);
      const outerEnd = reader.enter(reader.readUnsignedVarint());
      const innerEnd = reader.enter(reader.readUnsignedVarint());
      expect(reader.readNullableBytes()).toHaveLength(length);
      reader.leave(innerEnd);
      reader.leave(outerEnd);
      expect(reader.readInt8()).toBe(2);
      expect(reader.remaining).toBe(0);
    }
  });

  test('frames made one after another do not touch one another', () => {
    const writer = new ByteWriter();
    const frames = Array.from({ length: 3000 }, (_, index) => {
      writer.writeInt32(0);
      writer.writeInt32(index);
      writer.writeNullableString('x'.repeat(index % 50));
      return writer.finishSized();
    });
    for (const [index, frame] of frames.entries()) {
      const reader = new ByteReader(Buffer.concat(frame.chunks));
      expect(reader.readInt32()).toBe(frame.bytes - 4);
      expect(reader.readInt32()).toBe(index);
      expect(reader.readNullableString()).toHaveLength(index % 50);
    }
  });

  test('a frame that was dropped half-way leaves nothing behind', () => {
    const writer = new ByteWriter();
    writer.writeInt32(1);
    writer.writeNullableRecords(Buffer.alloc(4000));
    writer.beginSized();
    writer.reset();
    expect(writer.bytes).toBe(0);
    writer.writeInt8(5);
    const { chunks, bytes } = writer.finish();
    expect(bytes).toBe(1);
    expect(Buffer.concat(chunks).toString('hex')).toBe('05');
  });

  test('a frame larger than any slab stays in one piece', () => {
    const writer = new ByteWriter();
    for (let index = 0; index < 10_000; index++) writer.writeInt64(index);
    const { chunks } = writer.finish();
    expect(chunks).toHaveLength(1);
    writer.writeInt8(1);
    const [next] = writer.finish().chunks;
    expect(next?.buffer).not.toBe(chunks[0]?.buffer);
    const reader = new ByteReader(Buffer.concat(chunks));
    for (let index = 0; index < 10_000; index++) expect(reader.readInt64()).toBe(index);
  });
});
