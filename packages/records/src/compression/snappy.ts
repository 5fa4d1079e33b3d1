import { COMPRESSION } from '../constants.ts';
import type { LoadPackage } from '../optional-package.ts';
import { BlockOutput } from './block-output.ts';
import type { CompressionCodec, CompressOptions } from './codec.ts';
import { exceedsLimit, malformed } from './decompression-errors.ts';
import { PackageFunction } from './package-function.ts';
import { decodeSnappyElements, readSnappyPreamble, SNAPPY_MAX_EXPANSION } from './snappy-block.ts';

/** Magic of the framing of xerial's snappy-java, which Kafka's Java clients write. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
/** The magic, a version, and the oldest version that can read it: both are 1. */
const XERIAL_HEADER_BYTES = 16;
const XERIAL_VERSION = 1;
const XERIAL_CHUNK_BYTES = 32 * 1024;

type Compress = (data: Uint8Array) => Buffer;

/**
 * Snappy in its two framings. Decoded here; written through the optional package `snappy`.
 *
 * @param load how the package is loaded
 */
export function snappyCodec(load: LoadPackage): CompressionCodec {
  const native = new PackageFunction<Compress>({
    codec: 'snappy',
    packageName: 'snappy',
    exportName: 'compressSync',
    load,
  });
  return Object.freeze<CompressionCodec>({
    id: COMPRESSION.snappy,
    name: 'snappy',
    canCompress: () => native.isAvailable(),
    assertCanCompress: () => void native.get(),

    compress(data: Uint8Array, options: CompressOptions = {}): Buffer {
      const compress = native.get();
      return options.snappyFraming === 'raw' ? compress(data) : compressXerial(data, compress);
    },

    decompress(data: Uint8Array, maxBytes: number): Buffer {
      return isXerial(data) ? decompressXerial(data, maxBytes) : decompressRaw(data, maxBytes);
    },
  });
}

function isXerial(data: Uint8Array): boolean {
  return XERIAL_MAGIC.equals(data.subarray(0, XERIAL_MAGIC.length));
}

function compressXerial(data: Uint8Array, compress: Compress): Buffer {
  const header = Buffer.allocUnsafe(XERIAL_HEADER_BYTES);
  header.set(XERIAL_MAGIC);
  header.writeInt32BE(XERIAL_VERSION, 8);
  header.writeInt32BE(XERIAL_VERSION, 12);
  const parts: Buffer[] = [header];
  for (let at = 0; at < data.length; at += XERIAL_CHUNK_BYTES) {
    const block = compress(data.subarray(at, at + XERIAL_CHUNK_BYTES));
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(block.length);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}

function decompressRaw(data: Uint8Array, maxBytes: number): Buffer {
  const output = new BlockOutput(declaredBytes(data, 0, data.length, maxBytes), longerThanDeclared);
  decodeBlock(data, 0, data.length, output);
  return output.finish();
}

function decompressXerial(data: Uint8Array, maxBytes: number): Buffer {
  if (data.length < XERIAL_HEADER_BYTES) throw malformed('snappy', 'half a xerial header');
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const compatible = view.getInt32(12);
  if (compatible > XERIAL_VERSION) {
    throw malformed('snappy', `a xerial stream for readers of version ${compatible}`);
  }

  let total = 0;
  for (let at = XERIAL_HEADER_BYTES; at < data.length; at = chunkEnd(view, at)) {
    total += declaredBytes(data, at + 4, chunkEnd(view, at), maxBytes - total);
  }
  const output = new BlockOutput(total, longerThanDeclared);
  for (let at = XERIAL_HEADER_BYTES; at < data.length; at = chunkEnd(view, at)) {
    decodeBlock(data, at + 4, chunkEnd(view, at), output);
  }
  return output.finish();
}

/** Where the chunk ends whose length is at `at`. */
function chunkEnd(view: DataView, at: number): number {
  const left = view.byteLength - at - 4;
  const length = left < 0 ? -1 : view.getInt32(at);
  if (length < 0 || length > left) {
    throw malformed('snappy', `a xerial chunk of ${length} bytes, with ${Math.max(0, left)} left`);
  }
  return at + 4 + length;
}

/** The declared length of the block in `data[from, to)`, once it is known to be possible. */
function declaredBytes(data: Uint8Array, from: number, to: number, maxBytes: number): number {
  const { length } = readSnappyPreamble(data, from, to);
  if (length > (to - from) * SNAPPY_MAX_EXPANSION) {
    throw malformed('snappy', `${to - from} bytes that declare ${length} bytes of content`);
  }
  if (length > maxBytes) throw exceedsLimit('snappy', maxBytes);
  return length;
}

function decodeBlock(data: Uint8Array, from: number, to: number, output: BlockOutput): void {
  const { length, elementsAt } = readSnappyPreamble(data, from, to);
  const floor = output.length;
  decodeSnappyElements(data, { from: elementsAt, to }, output, floor);
  if (output.length - floor !== length) {
    throw malformed('snappy', `a block of ${output.length - floor} bytes that declares ${length}`);
  }
}

function longerThanDeclared(): Error {
  return malformed('snappy', 'a block with more content than it declares');
}
