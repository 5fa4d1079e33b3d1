// https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
import { malformed } from './decompression-errors.ts';
import { xxh32 } from './xxh32.ts';

const FRAME_MAGIC = 0x184d2204;
/** Sixteen magics of frames to be passed over, which differ in the lowest four bits. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const UNCOMPRESSED = 0x80000000;

const FLAG = {
  version: 0xc0,
  independentBlocks: 0x20,
  blockChecksums: 0x10,
  contentSize: 0x08,
  contentChecksum: 0x04,
  dictionaryId: 0x01,
} as const;
const VERSION_1 = 0x40;

/** Goes from block to block of the LZ4 frames in some data, without decoding them. */
export class Lz4FrameCursor {
  readonly #data: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #inFrame = false;
  #flags = 0;

  /** Most bytes that a block of this frame holds once decoded. */
  maxBlockBytes = 0;
  /** The block is `data[blockStart, blockEnd)`. */
  blockStart = 0;
  blockEnd = 0;
  /** Whether the block is stored as it is. */
  isStored = false;
  /** At the end of a frame: the checksum of its whole content, if it has one. */
  contentChecksum: number | undefined;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  /** Whether the frame's blocks can be decoded without the ones before. */
  get hasIndependentBlocks(): boolean {
    return (this.#flags & FLAG.independentBlocks) !== 0;
  }

  /**
   * Goes to the next block or to the end of its frame.
   *
   * @throws CorruptBatchError with reason `compressed-data` when the data is not in the format
   */
  next(): 'block' | 'frame-end' | 'end' {
    if (!this.#inFrame && !this.#enterFrame()) return 'end';
    const size = this.#uint32();
    if (size === 0) {
      this.#inFrame = false;
      const hasChecksum = (this.#flags & FLAG.contentChecksum) !== 0;
      this.contentChecksum = hasChecksum ? this.#uint32() : undefined;
      return 'frame-end';
    }
    this.isStored = size >= UNCOMPRESSED;
    this.blockStart = this.#at;
    this.#at = this.#after(this.isStored ? size - UNCOMPRESSED : size);
    this.blockEnd = this.#at;
    if (this.isStored && this.blockEnd - this.blockStart > this.maxBlockBytes) {
      throw malformed('lz4', `a block larger than the ${this.maxBlockBytes} bytes of its frame`);
    }
    if ((this.#flags & FLAG.blockChecksums) !== 0) this.#checkBlock();
    return 'block';
  }

  /** Reads the header of the next frame of data; false at the end of the data. */
  #enterFrame(): boolean {
    for (;;) {
      // No data at all is no frame; data after a frame is another one.
      if (this.#at > 0 && this.#at === this.#data.length) return false;
      const magic = this.#uint32();
      if (magic === FRAME_MAGIC) break;
      if ((magic & 0xfffffff0) !== SKIPPABLE_MAGIC) {
        throw malformed('lz4', `magic ${magic.toString(16)} in the place of a frame`);
      }
      this.#at = this.#after(this.#uint32());
    }
    const descriptorAt = this.#at;
    this.#at = this.#after(2);
    this.#flags = this.#view.getUint8(descriptorAt);
    this.maxBlockBytes = blockSize(this.#view.getUint8(descriptorAt + 1));
    if ((this.#flags & FLAG.version) !== VERSION_1) throw malformed('lz4', 'an unknown version');
    if ((this.#flags & FLAG.dictionaryId) !== 0) throw malformed('lz4', 'a need of a dictionary');
    if ((this.#flags & FLAG.contentSize) !== 0) this.#at = this.#after(8);
    const descriptor = this.#data.subarray(descriptorAt, this.#at);
    this.#at = this.#after(1);
    if (this.#view.getUint8(this.#at - 1) !== ((xxh32(descriptor) >>> 8) & 0xff)) {
      throw malformed('lz4', 'a frame header with a wrong checksum');
    }
    this.#inFrame = true;
    return true;
  }

  #checkBlock(): void {
    const block = this.#data.subarray(this.blockStart, this.blockEnd);
    if (this.#uint32() !== xxh32(block)) throw malformed('lz4', 'a block with a wrong checksum');
  }

  #uint32(): number {
    const at = this.#at;
    this.#at = this.#after(4);
    return this.#view.getUint32(at, true);
  }

  /** The position `count` bytes on, which are known to be there. */
  #after(count: number): number {
    if (count > this.#data.length - this.#at) {
      throw malformed('lz4', `${this.#data.length - this.#at} bytes where ${count} should follow`);
    }
    return this.#at + count;
  }
}

/** 64 KiB, 256 KiB, 1 MiB or 4 MiB, by the bits 4 to 6. */
function blockSize(descriptor: number): number {
  const id = (descriptor >>> 4) & 7;
  if (id < 4) throw malformed('lz4', `block size id ${id}`);
  return 2 ** (8 + 2 * id);
}
