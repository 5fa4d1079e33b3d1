import { type RandomSource, randomBelow } from '@logloft/clock';

const LENGTH_BYTES = 4;
const MAX_CHANGES = 4;
const MAX_MOVED_BYTES = 24;
const EXTREMES = [0, -1, 1, 0x7fff_ffff, -0x8000_0000, 0x7fff, 0x00ff_ffff];

type Change = (body: Buffer, at: number, random: RandomSource) => Buffer;

const CHANGES: readonly Change[] = [flipBit, setByte, setExtreme, cut, repeat, insert, truncate];

/**
 * Changes a frame in one to four places, and makes its length fit again, so that what comes behind it
 * is still read as a frame of its own.
 */
export function mutate(frame: Buffer, random: RandomSource): Buffer {
  let body = Buffer.from(frame.subarray(LENGTH_BYTES));
  const changes = 1 + randomBelow(random, MAX_CHANGES);
  for (let index = 0; index < changes && body.length > 1; index += 1) {
    const change = CHANGES[randomBelow(random, CHANGES.length)];
    if (change !== undefined)
      body = Buffer.from(change(body, randomBelow(random, body.length), random));
  }
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function flipBit(body: Buffer, at: number, random: RandomSource): Buffer {
  body.writeUInt8(body.readUInt8(at) ^ (1 << randomBelow(random, 8)), at);
  return body;
}

function setByte(body: Buffer, at: number, random: RandomSource): Buffer {
  body.writeUInt8(randomBelow(random, 256), at);
  return body;
}

function setExtreme(body: Buffer, at: number, random: RandomSource): Buffer {
  const value = EXTREMES[randomBelow(random, EXTREMES.length)] ?? 0;
  if (at + 4 <= body.length) body.writeInt32BE(value, at);
  return body;
}

function cut(body: Buffer, at: number, random: RandomSource): Buffer {
  const end = at + 1 + randomBelow(random, MAX_MOVED_BYTES);
  const rest = Buffer.concat([body.subarray(0, at), body.subarray(end)]);
  return rest.length === 0 ? body : rest;
}

function repeat(body: Buffer, at: number, random: RandomSource): Buffer {
  const piece = body.subarray(at, at + 1 + randomBelow(random, MAX_MOVED_BYTES));
  return Buffer.concat([body.subarray(0, at), piece, body.subarray(at)]);
}

function insert(body: Buffer, at: number, random: RandomSource): Buffer {
  const piece = random.fill(Buffer.alloc(1 + randomBelow(random, MAX_MOVED_BYTES)));
  return Buffer.concat([body.subarray(0, at), piece, body.subarray(at)]);
}

function truncate(body: Buffer, at: number): Buffer {
  return body.subarray(0, Math.max(1, at));
}
