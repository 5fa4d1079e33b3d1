import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ChunkId } from '../chunk-cache.ts';

/** Bytes before the chunk's own in its file. */
export const CHUNK_HEADER_BYTES = 64;

const MAGIC = 0x4c4c434b;
const VERSION = 1;
const DIGEST_BYTES = 16;
const RESERVED_AT = 48;
const HEADER_CRC_AT = 60;
const FILE_NAME = /^([0-9a-f]{32})-(\d{1,10})-\d{1,16}\.chunk$/;
const TEMP_NAME = /^[0-9a-f]{32}-\d{1,10}-\d{1,16}\.chunk\.tmp$/;

/**
 * What the header of a chunk's file tells. Layout, big-endian: magic "LLCK", version, digest of the
 * object's key (16 bytes), digest of the place in it (16), length, CRC-32 of the chunk, 12 zeros, and
 * CRC-32 of all that.
 */
export interface ChunkHeader {
  /** Hexadecimal digest of the key of the log object. */
  readonly object: string;
  /** Hexadecimal digest of the chunk's number and place. */
  readonly place: string;
  readonly length: number;
  readonly crc: number;
}

/** A file's name, taken apart. */
export interface ChunkFileName {
  readonly object: string;
  readonly index: number;
}

/** A digest of an object's key, for names of files: keys hold what a file's name cannot. */
export function objectDigest(object: string): string {
  return digest(object).toString('hex');
}

/** A digest of where a chunk is, so that a segment that was cut anew does not get its former chunks. */
export function placeDigest({ index, place }: ChunkId): string {
  const { originalStart, originalBytes, storedStart, storedBytes } = place;
  const text = [index, originalStart, originalBytes, storedStart, storedBytes].join(' ');
  return digest(text).toString('hex');
}

/**
 * Name of a chunk's file.
 *
 * @param sequence tells it from all other files of the same chunk, so that to remove one and to write
 *   the next cannot get into each other's way
 */
export function chunkFileName({ object, index }: ChunkFileName, sequence: number): string {
  return `${object}-${index}-${sequence}.chunk`;
}

/** Name of a chunk's file while it is written. */
export function tempFileName(name: string): string {
  return `${name}.tmp`;
}

/** `undefined` for a name that is none of ours. */
export function parseChunkFileName(name: string): ChunkFileName | undefined {
  const [, object, index] = FILE_NAME.exec(name) ?? [];
  return object === undefined ? undefined : { object, index: Number(index) };
}

/** Whether a file is one that was never finished. */
export function isTempFileName(name: string): boolean {
  return TEMP_NAME.test(name);
}

/** The header of a chunk's file. */
export function encodeChunkHeader(id: ChunkId, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(CHUNK_HEADER_BYTES);
  header.writeUInt32BE(MAGIC, 0);
  header.writeUInt32BE(VERSION, 4);
  digest(id.object).copy(header, 8);
  Buffer.from(placeDigest(id), 'hex').copy(header, 8 + DIGEST_BYTES);
  header.writeUInt32BE(bytes.byteLength, 40);
  header.writeUInt32BE(crc32(bytes), 44);
  header.writeUInt32BE(crc32(header.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
  return header;
}

/** `undefined` when a byte of it is not as it was written, or another version wrote it. */
export function decodeChunkHeader(header: Buffer): ChunkHeader | undefined {
  if (header.byteLength !== CHUNK_HEADER_BYTES) return undefined;
  if (header.readUInt32BE(0) !== MAGIC || header.readUInt32BE(4) !== VERSION) return undefined;
  if (header.readUInt32BE(HEADER_CRC_AT) !== crc32(header.subarray(0, HEADER_CRC_AT))) {
    return undefined;
  }
  if (header.subarray(RESERVED_AT, HEADER_CRC_AT).some((byte) => byte !== 0)) return undefined;
  return {
    object: header.toString('hex', 8, 8 + DIGEST_BYTES),
    place: header.toString('hex', 8 + DIGEST_BYTES, 8 + 2 * DIGEST_BYTES),
    length: header.readUInt32BE(40),
    crc: header.readUInt32BE(44),
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES);
}
