import { open, stat } from 'node:fs/promises';
import { type ByteRange, clipByteRange } from './byte-range.ts';
import { RemoteStorageError } from './errors.ts';
import type { SegmentSource } from './log-segment-data.ts';
import { readFilePieces } from './read-file-pieces.ts';
import { toRemoteStorageError } from './to-remote-storage-error.ts';

/** How a file becomes a source. */
export interface FileSourceOptions {
  /** Bytes that count, for a file whose tail does not belong to it. Default: all that are there now. */
  readonly size?: number | undefined;
}

/**
 * A file as a source. It is opened by each read, and closed when that ends in whatever way; pieces
 * of at most 256 KiB share one pooled buffer, so that memory does not grow with the file.
 *
 * @throws RemoteStorageError `corrupt` when the file is missing or shorter than `size`: what was
 *   promised to be there is not. Other failures by their kind.
 */
export async function fileSource(
  path: string,
  options: FileSourceOptions = {},
): Promise<SegmentSource> {
  const there = await sizeOf(path);
  const { size = there } = options;
  if (!(Number.isSafeInteger(size) && size >= 0 && size <= there)) {
    throw new RemoteStorageError(
      'corrupt',
      `${path} was to have ${size} bytes, but there are ${there}`,
    );
  }
  return {
    size,
    path,
    async *read(range: ByteRange, { signal } = {}): AsyncGenerator<Uint8Array, void, void> {
      signal?.throwIfAborted();
      if (size === 0 && range.start === 0) return;
      const { start, length } = clipByteRange(range, size);
      const file = await open(path, 'r').catch((error: unknown) => {
        throw missing(error, path);
      });
      try {
        yield* readFilePieces(file, { start, length, signal });
      } finally {
        await file.close();
      }
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw missing(error, path);
  }
}

// `not-found` is kept for the store: a caller must not take a lost local file for a lost segment.
function missing(error: unknown, path: string): RemoteStorageError {
  const known = toRemoteStorageError(error, { action: `Opening ${path}` });
  if (known.kind !== 'not-found') return known;
  return new RemoteStorageError('corrupt', known.message, { cause: error });
}
