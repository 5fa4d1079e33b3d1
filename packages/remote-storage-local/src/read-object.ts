import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import {
  type ByteRange,
  type CallOptions,
  clipByteRange,
  pacedSlices,
  ReleasingStream,
  readFilePieces,
} from '@logloft/remote-storage';
import { notFound } from './object-errors.ts';
import { hasCode, linkFound, type ObjectPath } from './object-path.ts';

// Never follow a link at the end of the path, and never wait for the writer of a named pipe. Windows
// has neither flag.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens an object or a range of it. The file is closed when the stream ends, in whatever way. */
export async function readObject(
  path: ObjectPath,
  range: ByteRange | undefined,
  options: CallOptions,
): Promise<ReleasingStream<Uint8Array>> {
  const file = await openForReading(path);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw notFound(path.key);
    const whole = { start: 0, length: found.size };
    const clipped = range === undefined ? whole : clipByteRange(range, found.size);
    options.signal?.throwIfAborted();
    return streamOf(file, clipped, options);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openForReading(path: ObjectPath): Promise<FileHandle> {
  try {
    return await open(path.file, READ_FLAGS);
  } catch (error) {
    // FreeBSD answers EMLINK where others answer ELOOP.
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw linkFound(path.key, path.file);
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) throw notFound(path.key, error);
    throw error;
  }
}

function streamOf(
  file: FileHandle,
  range: { readonly start: number; readonly length: number },
  options: CallOptions,
): ReleasingStream<Uint8Array> {
  const { signal } = options;
  const slices = pacedSlices(readFilePieces(file, { ...range, signal }), options);
  return new ReleasingStream<Uint8Array>({
    signal,
    next: async () => {
      const result = await slices.next();
      return result.done ? { done: true, value: undefined } : result;
    },
    release: async () => {
      // Waits for a read under way, whose buffer must not be given away before.
      await slices.return();
      await file.close();
    },
  });
}
