import { seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { MicroFrames } from '../../src/peers/micro-frames.ts';
import { SlabPool } from '../../src/peers/slab-pool.ts';

test.each([1, 2, 3, 4, 5])('frames come out whole, however the stream is cut (seed %i)', (seed) => {
  const random = seededRandom(seed);
  const below = (limit: number): number => random.nextUint32() % limit;
  const sent = Array.from({ length: 60 }, (_, i) => Buffer.alloc(1 + below(200_000), i));
  const stream = Buffer.concat(
    sent.flatMap((frame) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(frame.length);
      return [length, frame];
    }),
  );
  const got: Buffer[] = [];
  const pool = new SlabPool();
  const frames = new MicroFrames(pool, {
    onFrame: (slab, length) => {
      got.push(Buffer.from(slab.subarray(0, length)));
      pool.giveBack(slab);
    },
    onReadEnd: () => undefined,
  });
  for (let at = 0; at < stream.length; ) {
    const target = frames.nextBuffer();
    const length = Math.min(1 + below(90_000), target.length, stream.length - at);
    stream.copy(target, 0, at, at + length);
    frames.onBytes(length, target);
    at += length;
  }
  expect(got.length).toBe(sent.length);
  expect(got.every((frame, i) => frame.equals(sent[i] ?? Buffer.alloc(0)))).toBe(true);
});
