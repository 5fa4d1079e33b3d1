import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { RemoteStorageError } from '../errors.ts';
import { readZstdFrame } from '../transform/zstd-frame.ts';

/** Most bytes of a list of chunk sizes; readers refuse more. */
export const MAX_CHUNK_SIZES_BYTES: number = 10 * 1024 * 1024;

/** Most chunks whose sizes a list holds for certain, whatever they are. */
export const MAX_LISTED_CHUNKS = 2_097_152;

const COUNT_BYTES = 4;
const BASE_BYTES = 4;
const WIDTH_BYTES = 1;
const LAST_BYTES = 4;
const MAX_INT32 = 2_147_483_647;

/**
 * A list of sizes as Aiven's plugin packs them: count, smallest value, width, each value but the last
 * as its distance from the smallest, and the last in full, since the last chunk is mostly shorter.
 *
 * @param sizes each from 0 to 2^31 - 1
 */
export function encodeChunkSizes(sizes: readonly number[]): Uint8Array {
  const count = sizes.length;
  const last = sizes.at(-1);
  if (last === undefined) return new Uint8Array(COUNT_BYTES);
  const { base, width } = packing(sizes);
  const packedBytes = count === 1 ? 0 : BASE_BYTES + WIDTH_BYTES + (count - 1) * width;
  const bytes = Buffer.alloc(COUNT_BYTES + packedBytes + LAST_BYTES);
  let at = bytes.writeInt32BE(count);
  if (count > 1) {
    at = bytes.writeInt32BE(base, at);
    at = bytes.writeUInt8(width, at);
    for (let index = 0; index < count - 1; index += 1) {
      at = bytes.writeUIntBE((sizes[index] ?? 0) - base, at, width);
    }
  }
  bytes.writeInt32BE(last, at);
  return bytes;
}

/**
 * Reads what {@link encodeChunkSizes} wrote.
 *
 * @throws RemoteStorageError `corrupt` when the list is longer or shorter than its count says, or has a
 *   size beyond 2^31 - 1
 */
export function decodeChunkSizes(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  requireBytes(bytes, bytes.byteLength >= COUNT_BYTES);
  const count = view.getInt32(0);
  if (count === 0) {
    requireBytes(bytes, bytes.byteLength === COUNT_BYTES);
    return new Uint32Array(0);
  }
  if (count < 0) throw corrupt(`counts ${count} sizes`);
  const sizes = count === 1 ? new Uint32Array(1) : unpack(view, count);
  const lastAt = bytes.byteLength - LAST_BYTES;
  requireBytes(bytes, count > 1 || lastAt === COUNT_BYTES);
  sizes[count - 1] = checked(view.getInt32(lastAt));
  return sizes;
}

/** The list as it stands in a manifest: base64 of one zstd frame that tells its size. */
export function chunkSizesText(sizes: readonly number[]): string {
  return zstdCompressSync(encodeChunkSizes(sizes)).toString('base64');
}

/** @throws RemoteStorageError `corrupt` for what {@link chunkSizesText} would not write */
export function parseChunkSizesText(text: string): Uint32Array {
  const frame = Buffer.from(text, 'base64');
  if (frame.toString('base64') !== text) throw corrupt('is no base64');
  const { contentBytes, windowBytes } = readZstdFrame(frame);
  if (contentBytes === undefined) throw corrupt('is a frame that does not tell its size');
  if (Math.max(contentBytes, windowBytes) > MAX_CHUNK_SIZES_BYTES) {
    throw corrupt(`would take ${contentBytes} bytes, at most ${MAX_CHUNK_SIZES_BYTES} are read`);
  }
  return decodeChunkSizes(decompressed(frame, contentBytes));
}

function decompressed(frame: Buffer, contentBytes: number): Buffer {
  let bytes: Buffer;
  try {
    bytes = zstdDecompressSync(frame, { maxOutputLength: Math.max(1, contentBytes) });
  } catch (error) {
    throw corrupt('cannot be decompressed', error);
  }
  if (bytes.byteLength !== contentBytes) {
    throw corrupt(`has ${bytes.byteLength} bytes where ${contentBytes} were promised`);
  }
  return bytes;
}

function packing(sizes: readonly number[]): { readonly base: number; readonly width: number } {
  let base = MAX_INT32;
  let most = 0;
  for (let index = 0; index < sizes.length; index += 1) {
    const size = checked(sizes[index] ?? 0);
    if (index === sizes.length - 1) continue;
    base = Math.min(base, size);
    most = Math.max(most, size);
  }
  const range = most - base;
  const width = [0xff, 0xffff, 0xffffff].findIndex((limit) => range <= limit) + 1;
  return { base, width: width === 0 ? 4 : width };
}

function unpack(view: DataView, count: number): Uint32Array {
  const valuesAt = COUNT_BYTES + BASE_BYTES + WIDTH_BYTES;
  requireBytes(view, view.byteLength >= valuesAt);
  const base = checked(view.getInt32(COUNT_BYTES));
  const width = view.getUint8(COUNT_BYTES + BASE_BYTES);
  if (width < 1 || width > 4) throw corrupt(`packs a size into ${width} bytes`);
  // Before the memory is taken: the count alone may claim anything.
  requireBytes(view, view.byteLength === valuesAt + (count - 1) * width + LAST_BYTES);
  const sizes = new Uint32Array(count);
  for (let index = 0, at = valuesAt; index < count - 1; index += 1, at += width) {
    let distance = 0;
    for (let byte = 0; byte < width; byte += 1)
      distance = distance * 256 + view.getUint8(at + byte);
    sizes[index] = checked(base + distance);
  }
  return sizes;
}

function requireBytes({ byteLength }: ArrayBufferView, holds: boolean): void {
  if (!holds) throw corrupt(`has ${byteLength} bytes, which is not what its count asks for`);
}

function checked(size: number): number {
  if (Number.isInteger(size) && size >= 0 && size <= MAX_INT32) return size;
  throw corrupt(`has the size ${size}`);
}

function corrupt(problem: string, cause?: unknown): RemoteStorageError {
  return new RemoteStorageError('corrupt', `The list of chunk sizes ${problem}`, { cause });
}
