import {
  constants,
  createZstdCompress,
  createZstdDecompress,
  type ZstdOptions,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { RemoteStorageError } from '../errors.ts';
import { runZlib } from './run-zlib.ts';
import { readZstdFrame } from './zstd-frame.ts';

// Below this the thread pool takes longer to answer than the work does.
const SMALL_BYTES = 64 * 1024;

// What a decoder may hold of history, as a power of two: 8 MiB, more only for larger chunks.
const LEAST_WINDOW_LOG = 23;
const MOST_WINDOW_LOG = 31;

/** The most bytes that a frame can have for so many bytes; zstd's own bound. */
export function maxFrameBytes(plainBytes: number): number {
  const small = 128 * 1024;
  const margin = plainBytes < small ? (small - plainBytes) >>> 11 : 0;
  return plainBytes + Math.floor(plainBytes / 256) + margin;
}

/**
 * One zstd frame of the default level that tells the size of its content: Aiven's plugin cannot read
 * one that does not. The work is done beside the event loop, unless there is little of it.
 *
 * @param plain must not change until the promise settles
 */
export async function compressFrame(plain: Uint8Array): Promise<Uint8Array> {
  const options: ZstdOptions = {
    pledgedSrcSize: plain.byteLength,
    // Room for all of it: zlib crosses to its threads once for each buffer that it fills.
    chunkSize: Math.max(64, maxFrameBytes(plain.byteLength) + 64),
  };
  if (plain.byteLength <= SMALL_BYTES) return zstdCompressSync(plain, options);
  try {
    return await runZlib(createZstdCompress(options), plain, Number.POSITIVE_INFINITY);
  } catch (error) {
    throw new RemoteStorageError('unavailable', 'Compressing failed', { cause: error });
  }
}

/**
 * Undoes {@link compressFrame}.
 *
 * @param frame must not change until the promise settles
 * @param plainBytes what has to come out; no more memory than that is taken for it
 * @throws RemoteStorageError `corrupt` unless it is exactly one frame of exactly so many bytes
 */
export async function decompressFrame(frame: Uint8Array, plainBytes: number): Promise<Uint8Array> {
  const { contentBytes = plainBytes, windowBytes } = readZstdFrame(frame);
  if (contentBytes !== plainBytes) throw wrongSize(plainBytes, contentBytes);
  const windowLog = windowLogFor(plainBytes);
  if (windowBytes > 2 ** windowLog) {
    throw new RemoteStorageError(
      'corrupt',
      `A frame of ${plainBytes} bytes claims a window of ${windowBytes}`,
    );
  }
  const plain = await decompress(frame, plainBytes, {
    maxOutputLength: Math.max(1, plainBytes),
    chunkSize: plainBytes + 64,
    params: { [constants.ZSTD_d_windowLogMax]: windowLog },
  });
  if (plain.byteLength !== plainBytes) throw wrongSize(plainBytes, plain.byteLength);
  return plain;
}

async function decompress(
  frame: Uint8Array,
  plainBytes: number,
  options: ZstdOptions,
): Promise<Uint8Array> {
  try {
    if (plainBytes <= SMALL_BYTES) return zstdDecompressSync(frame, options);
    return await runZlib(createZstdDecompress(options), frame, plainBytes);
  } catch (error) {
    throw new RemoteStorageError('corrupt', 'The frame cannot be decompressed', { cause: error });
  }
}

function windowLogFor(plainBytes: number): number {
  const log = Math.ceil(Math.log2(Math.max(1, plainBytes)));
  return Math.min(MOST_WINDOW_LOG, Math.max(LEAST_WINDOW_LOG, log));
}

function wrongSize(wanted: number, found: number): RemoteStorageError {
  return new RemoteStorageError(
    'corrupt',
    `The frame holds ${found} bytes where the manifest promises ${wanted}`,
  );
}
