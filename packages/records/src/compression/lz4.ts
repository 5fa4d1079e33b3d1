import { COMPRESSION } from '../constants.ts';
import type { LoadPackage } from '../optional-package.ts';
import { BlockOutput } from './block-output.ts';
import type { CompressionCodec } from './codec.ts';
import { exceedsLimit, malformed } from './decompression-errors.ts';
import { LZ4_MAX_EXPANSION, Lz4BlockDecoder } from './lz4-block.ts';
import { Lz4FrameCursor } from './lz4-frame.ts';
import { PackageFunction } from './package-function.ts';
import { xxh32 } from './xxh32.ts';

type CompressFrame = (data: Buffer) => Buffer;

const OVERSIZED_BLOCK = 'a block with more content than its frame announces';

/**
 * LZ4 frames. Decoded here; written through the optional package `lz4-napi`.
 *
 * @param load how the package is loaded
 */
export function lz4Codec(load: LoadPackage): CompressionCodec {
  const native = new PackageFunction<CompressFrame>({
    codec: 'lz4',
    packageName: 'lz4-napi',
    exportName: 'compressFrameSync',
    load,
  });
  return Object.freeze<CompressionCodec>({
    id: COMPRESSION.lz4,
    name: 'lz4',
    canCompress: () => native.isAvailable(),
    assertCanCompress: () => void native.get(),

    compress(data: Uint8Array): Buffer {
      return native.get()(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    },

    decompress: decompressLz4,
  });
}

function decompressLz4(data: Uint8Array, maxBytes: number): Buffer {
  const possible = possibleBytes(data);
  const output = new BlockOutput(Math.min(maxBytes, possible), () =>
    possible > maxBytes ? exceedsLimit('lz4', maxBytes) : malformed('lz4', OVERSIZED_BLOCK),
  );
  const decoder = new Lz4BlockDecoder(data, output);
  const cursor = new Lz4FrameCursor(data);
  let frameStart = 0;
  for (let step = cursor.next(); step !== 'end'; step = cursor.next()) {
    if (step === 'frame-end') {
      checkContent(output, frameStart, cursor.contentChecksum);
      frameStart = output.length;
    } else if (cursor.isStored) {
      output.literal(data, cursor.blockStart, cursor.blockEnd);
    } else {
      const start = output.length;
      const floor = cursor.hasIndependentBlocks ? start : frameStart;
      decoder.decode(cursor.blockStart, cursor.blockEnd, floor);
      if (output.length - start > cursor.maxBlockBytes) throw malformed('lz4', OVERSIZED_BLOCK);
    }
  }
  return output.finish();
}

/** What the blocks hold at most, by their sizes: seldom more than one block too much. */
function possibleBytes(data: Uint8Array): number {
  const cursor = new Lz4FrameCursor(data);
  let total = 0;
  for (let step = cursor.next(); step !== 'end'; step = cursor.next()) {
    if (step === 'frame-end') continue;
    const stored = cursor.blockEnd - cursor.blockStart;
    total += cursor.isStored ? stored : Math.min(cursor.maxBlockBytes, stored * LZ4_MAX_EXPANSION);
  }
  return total;
}

function checkContent(output: BlockOutput, from: number, checksum: number | undefined): void {
  if (checksum !== undefined && xxh32(output.finish().subarray(from)) !== checksum) {
    throw malformed('lz4', 'content with a wrong checksum');
  }
}
