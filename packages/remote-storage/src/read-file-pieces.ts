import type { FileHandle } from 'node:fs/promises';
import { RemoteStorageError } from './errors.ts';
import { giveSlab, SLAB_BYTES, takeSlab } from './slab-pool.ts';
import { toRemoteStorageError } from './to-remote-storage-error.ts';

// Below this a buffer of the right size is cheaper than to hold a slab.
const SMALL_BYTES = 16 * 1024;

/** Which bytes of a file are read, and how. */
export interface FilePiecesOptions {
  /** Offset of the first byte. */
  readonly start: number;
  /** Bytes to read; all of them must be there. */
  readonly length: number;
  /** Largest piece in bytes, at most (and by default) 256 KiB. */
  readonly pieceBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a range of an open file piece by piece into one buffer that is used over and over: a piece is
 * valid until the next is asked for. Memory is bounded by one piece. Closing the file is the caller's.
 *
 * @throws RemoteStorageError `corrupt` when the file ends early, and by kind when reading fails
 * @throws the reason of `signal` when it aborts
 */
export async function* readFilePieces(
  file: FileHandle,
  options: FilePiecesOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { start, length, signal } = options;
  const pieceBytes = Math.min(options.pieceBytes ?? SLAB_BYTES, SLAB_BYTES);
  const small = length <= SMALL_BYTES;
  const buffer = small ? Buffer.allocUnsafe(length) : takeSlab();
  try {
    let at = 0;
    while (at < length) {
      signal?.throwIfAborted();
      const wanted = Math.min(pieceBytes, length - at);
      const got = await readInto(file, buffer.subarray(0, wanted), start + at);
      if (got === 0) {
        throw new RemoteStorageError(
          'corrupt',
          `File ended at byte ${start + at}, but ${length - at} more were to be read; it was cut meanwhile`,
        );
      }
      signal?.throwIfAborted();
      yield buffer.subarray(0, got);
      at += got;
    }
  } finally {
    // Whoever is stopped by a signal may still be at work on the last piece: then it stays theirs.
    if (!small && !signal?.aborted) giveSlab(buffer);
  }
}

async function readInto(file: FileHandle, buffer: Buffer, position: number): Promise<number> {
  try {
    return (await file.read(buffer, 0, buffer.byteLength, position)).bytesRead;
  } catch (error) {
    throw toRemoteStorageError(error, { action: `Reading a file at byte ${position}` });
  }
}
