import { RemoteStorageError } from '../errors.ts';

/** Largest chunk of Aiven's plugin, 2^30 - 1 bytes. */
export const MAX_CHUNK_BYTES = 1_073_741_823;

/** Sizes of the chunks of a log whose chunks all have one size, but for the last. */
export interface FixedChunkIndex {
  readonly type: 'fixed';
  /** Bytes of a chunk before it was transformed, > 0. */
  readonly originalChunkSize: number;
  /** Bytes of the segment's log. */
  readonly originalFileSize: number;
  /** Bytes of a chunk as stored. */
  readonly transformedChunkSize: number;
  /** Bytes of the last chunk as stored; always given, also when it is as long as the others. */
  readonly finalTransformedChunkSize: number;
}

/** The chunks of a log that is stored as it is. */
export function plainChunkIndex(fileBytes: number, chunkBytes: number): FixedChunkIndex {
  const rest = fileBytes % chunkBytes;
  return {
    type: 'fixed',
    originalChunkSize: chunkBytes,
    originalFileSize: fileBytes,
    transformedChunkSize: chunkBytes,
    finalTransformedChunkSize: rest === 0 && fileBytes > 0 ? chunkBytes : rest,
  };
}

/** Bytes of the stored log object. */
export function storedLogBytes(index: FixedChunkIndex): number {
  const count = Math.ceil(index.originalFileSize / index.originalChunkSize);
  if (count === 0) return 0;
  return (count - 1) * index.transformedChunkSize + index.finalTransformedChunkSize;
}

/** @throws RemoteStorageError `corrupt` unless the stored log is the log itself, byte for byte */
export function assertPlain(index: FixedChunkIndex): void {
  const { originalChunkSize, transformedChunkSize, originalFileSize } = index;
  if (transformedChunkSize === originalChunkSize && storedLogBytes(index) === originalFileSize) {
    return;
  }
  throw new RemoteStorageError(
    'corrupt',
    `Chunks of a plain segment must be stored at their own size; found ${originalChunkSize} stored as ` +
      `${transformedChunkSize}, and ${storedLogBytes(index)} bytes stored for ${originalFileSize}`,
  );
}
