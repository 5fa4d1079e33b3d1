// RFC 8878, 3.1. Node's decoder neither says where a frame ends nor, before version 24, that one was
// cut, so frames are measured here: by the headers of their blocks, without decoding any.
import { malformed } from './decompression-errors.ts';

const MAGIC = 0xfd2fb528;
/** Sixteen magics of frames to be passed over, which differ in the lowest four bits. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const SINGLE_SEGMENT = 0x20;
const CONTENT_CHECKSUM = 0x04;
const CHECKSUM_BYTES = 4;
/** Bytes of the dictionary id, by the two lowest bits of the descriptor. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
/** Bytes of the content size, by the two highest bits of the descriptor. */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
/** Added to a content size of two bytes, as smaller ones take one byte. */
const TWO_BYTE_BIAS = 256;
const BLOCK_HEADER_BYTES = 3;
/** Most bytes that a compressed block holds. */
const MAX_BLOCK_BYTES = 128 * 1024;
const BLOCK_TYPE = { raw: 0, run: 1, compressed: 2, reserved: 3 } as const;

/** The extent of a frame. */
export interface ZstdFrame {
  /** Position after the frame. */
  readonly end: number;
  /** Whether it holds no content, and is to be passed over. */
  readonly isSkippable: boolean;
  /** Bytes of content that the frame declares; undefined: it declares none. */
  readonly declaredBytes: number | undefined;
  /** Bytes of content that its blocks can hold at most. */
  readonly possibleBytes: number;
}

/**
 * Measures the frame at `at`.
 *
 * @throws CorruptBatchError with reason `compressed-data` when no whole frame is there
 */
export function measureZstdFrame(data: Uint8Array, at: number): ZstdFrame {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  need(view, at, 4);
  const magic = view.getUint32(at, true);
  if ((magic & 0xfffffff0) === SKIPPABLE_MAGIC) {
    need(view, at + 4, 4);
    const size = view.getUint32(at + 4, true);
    need(view, at + 8, size);
    return { end: at + 8 + size, isSkippable: true, declaredBytes: 0, possibleBytes: 0 };
  }
  if (magic !== MAGIC)
    throw malformed('zstd', `magic ${magic.toString(16)} in the place of a frame`);
  need(view, at + 4, 1);
  const descriptor = view.getUint8(at + 4);
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  const sizeAt =
    at + 5 + (isSingleSegment ? 0 : 1) + DICTIONARY_ID_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
  const listed = CONTENT_SIZE_BYTES[(descriptor >>> 6) as 0 | 1 | 2 | 3];
  // A single segment has no window, and then always a content size.
  const sizeBytes = listed === 0 && isSingleSegment ? 1 : listed;
  need(view, sizeAt, sizeBytes);
  const blocks = measureBlocks(view, sizeAt + sizeBytes);
  const checksumBytes = (descriptor & CONTENT_CHECKSUM) === 0 ? 0 : CHECKSUM_BYTES;
  need(view, blocks.end, checksumBytes);
  return {
    end: blocks.end + checksumBytes,
    isSkippable: false,
    declaredBytes: contentSize(view, sizeAt, sizeBytes),
    possibleBytes: blocks.possibleBytes,
  };
}

function contentSize(view: DataView, at: number, bytes: number): number | undefined {
  if (bytes === 0) return undefined;
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + TWO_BYTE_BIAS;
  const low = view.getUint32(at, true);
  return bytes === 4 ? low : low + view.getUint32(at + 4, true) * 2 ** 32;
}

function measureBlocks(view: DataView, start: number): { end: number; possibleBytes: number } {
  let at = start;
  let possibleBytes = 0;
  let isLast = false;
  while (!isLast) {
    need(view, at, BLOCK_HEADER_BYTES);
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    isLast = (header & 1) !== 0;
    const type = (header >>> 1) & 3;
    const size = header >>> 3;
    if (type === BLOCK_TYPE.reserved) throw malformed('zstd', 'a block of a reserved type');
    const storedBytes = type === BLOCK_TYPE.run ? 1 : size;
    at += BLOCK_HEADER_BYTES;
    need(view, at, storedBytes);
    at += storedBytes;
    possibleBytes += type === BLOCK_TYPE.compressed ? MAX_BLOCK_BYTES : size;
  }
  return { end: at, possibleBytes };
}

function need(view: DataView, at: number, count: number): void {
  if (count <= view.byteLength - at) return;
  throw malformed(
    'zstd',
    `${Math.max(0, view.byteLength - at)} bytes where ${count} should follow`,
  );
}
