import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkFrameSize, FRAME_SIZE_BYTES, FrameReader, FrameSizeError } from '../../src/index.ts';

function framed(body: Uint8Array): Buffer {
  const size = Buffer.alloc(FRAME_SIZE_BYTES);
  size.writeInt32BE(body.length);
  return Buffer.concat([size, body]);
}

describe('FrameReader', () => {
  test('frames come out as they went in, however the stream was split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 }),
        fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 }),
        (bodies, cuts) => {
          const stream = Buffer.concat(bodies.map(framed));
          const reader = new FrameReader();
          const frames: Buffer[] = [];
          let at = 0;
          for (const cut of cuts) {
            frames.push(...reader.push(stream.subarray(at, at + cut)));
            at = Math.min(stream.length, at + cut);
          }
          frames.push(...reader.push(stream.subarray(at)));
          expect(frames.map((frame) => frame.toString('hex'))).toEqual(
            bodies.map((body) => Buffer.from(body).toString('hex')),
          );
          expect(reader.pendingBytes).toBe(0);
        },
      ),
    );
  });

  test('a frame at the limit passes, one above is refused before it has arrived', () => {
    const reader = new FrameReader({ maxFrameBytes: 10 });
    expect(reader.push(framed(Buffer.alloc(10)))).toHaveLength(1);
    const size = Buffer.from('0000000b', 'hex');
    expect(() => reader.push(size)).toThrow(
      expect.objectContaining({ code: 'LOGLOFT_PROTOCOL_FRAME_SIZE', announcedBytes: 11 }),
    );
  });

  test('memory follows what has arrived, not what was announced', () => {
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 50 }, () => new FrameReader());
    for (const reader of readers) expect(reader.push(Buffer.from('06400000', 'hex'))).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('checkFrameSize', () => {
  test.each([
    [-1, /0 to 100 bytes, -1 were announced/],
    [101, /101 were announced/],
    [0x1603_0100, /TLS/],
    [0x1603_03ff, /TLS/],
    [0x4745_5420, /HTTP begins \("GET "\)/],
    [0x504f_5354, /HTTP begins \("POST"\)/],
  ])('a size of %i is refused with the likely reason', (size, message) => {
    expect(() => checkFrameSize(size, 100)).toThrow(FrameSizeError);
    expect(() => checkFrameSize(size, 100)).toThrow(message);
  });

  test('0 and the limit are allowed', () => {
    checkFrameSize(0, 100);
    checkFrameSize(100, 100);
  });
});
