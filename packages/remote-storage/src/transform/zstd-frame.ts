import { RemoteStorageError } from '../errors.ts';

/** What the bytes of one zstd frame say of it. */
export interface ZstdFrame {
  /** Bytes of what was compressed; `undefined` when the frame does not say. */
  readonly contentBytes: number | undefined;
  /** Bytes of history that its decoder has to hold. */
  readonly windowBytes: number;
}

const MAGIC = 0xfd2fb528;
const CHECKSUM_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const RUN_LENGTH_BLOCK = 1;
const RESERVED_BLOCK = 3;

/**
 * Looks at one zstd frame (RFC 8878), without decompressing it. zlib is content with the first frame
 * of several and with whatever follows it, and takes as much memory as a frame claims to need; what
 * came from a store is looked at first.
 *
 * @throws RemoteStorageError `corrupt` unless `bytes` are exactly one frame
 */
export function readZstdFrame(bytes: Uint8Array): ZstdFrame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  require(bytes.byteLength >= 5 && view.getUint32(0, true) === MAGIC, 'does not begin as a frame');
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const hasChecksum = (descriptor & 0x04) !== 0;
  require((descriptor & 0x08) === 0, 'sets a reserved bit');
  require((descriptor & 0x03) === 0, 'needs a dictionary');
  const windowAt = 5;
  const sizeAt = isSingleSegment ? windowAt : windowAt + 1;
  const sizeBytes = contentSizeBytes(descriptor >>> 6, isSingleSegment);
  const blocksAt = sizeAt + sizeBytes;
  require(blocksAt <= bytes.byteLength, 'ends within its header');
  const contentBytes = contentSize(view, sizeAt, sizeBytes);
  const end = endOfBlocks(view, blocksAt) + (hasChecksum ? CHECKSUM_BYTES : 0);
  require(end === bytes.byteLength, `ends at byte ${end} of ${bytes.byteLength}`);
  const windowBytes = isSingleSegment ? (contentBytes ?? 0) : windowSize(view.getUint8(windowAt));
  return { contentBytes, windowBytes };
}

function contentSizeBytes(flag: number, isSingleSegment: boolean): number {
  if (flag === 0) return isSingleSegment ? 1 : 0;
  return 2 ** flag;
}

function contentSize(view: DataView, at: number, bytes: number): number | undefined {
  switch (bytes) {
    case 0:
      return undefined;
    case 1:
      return view.getUint8(at);
    case 2:
      // Sizes below 256 have the form of one byte.
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    default:
      return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
  }
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 0x07);
}

function endOfBlocks(view: DataView, start: number): number {
  for (let at = start; ; ) {
    require(at + BLOCK_HEADER_BYTES <= view.byteLength, 'ends within a block');
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const type = (header >>> 1) & 0x03;
    require(type !== RESERVED_BLOCK, 'has a block of an unknown type');
    at += BLOCK_HEADER_BYTES + (type === RUN_LENGTH_BLOCK ? 1 : header >>> 3);
    if ((header & 1) !== 0) return at;
  }
}

function require(holds: boolean, problem: string): void {
  if (!holds) throw new RemoteStorageError('corrupt', `Not exactly one zstd frame: it ${problem}`);
}
