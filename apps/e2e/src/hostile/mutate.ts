import { type RandomSource, randomBelow } from '@logloft/clock';

const LENGTH_BYTES = 4;
const MORE_CHANGES_IN = 3;
const MAX_MOVED_BYTES = 24;
const HEADER_BYTES = 16;
const HEADER_IN = 8;
const EXTREMES = [0, -1, 1, 0x7fff_ffff, -0x8000_0000, 0x7fff, 0x00ff_ffff];

type Change = (body: Buffer, at: number, random: RandomSource) => Buffer;

/** Those that leave the length alone come more often: most of the others end in the decoder. */
const CHANGES: readonly Change[] = [
  ...[flipBit, flipBit, setByte, setByte, setExtreme, setExtreme],
  ...[cut, repeat, insert, truncate],
];

/**
 * Changes a frame in one or more places, seldom in its header, and makes its length fit again, so that
 * what comes behind it is still read as a frame of its own.
 */
export function mutate(frame: Buffer, random: RandomSource): Buffer {
  let body: Buffer = Buffer.from(frame.subarray(LENGTH_BYTES));
  do {
    const change = CHANGES[randomBelow(random, CHANGES.length)] ?? flipBit;
    body = Buffer.from(change(body, placeIn(body, random), random));
  } while (randomBelow(random, MORE_CHANGES_IN) === 0);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function placeIn(body: Buffer, random: RandomSource): number {
  const from = Math.min(HEADER_BYTES, body.length - 1);
  const isInHeader = randomBelow(random, HEADER_IN) === 0;
  return isInHeader
    ? randomBelow(random, from + 1)
    : from + randomBelow(random, body.length - from);
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
