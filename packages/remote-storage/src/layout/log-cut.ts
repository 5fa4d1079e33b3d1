import { RemoteStorageError } from '../errors.ts';

/** Largest chunk of Aiven's plugin, 2^30 - 1 bytes. */
export const MAX_CHUNK_BYTES = 1_073_741_823;

/** The cut of a log into chunks, which is the same in either form of the chunk index. All in bytes. */
export interface LogCut {
  /** Of a chunk before it was transformed, > 0. */
  readonly originalChunkSize: number;
  /** Of the segment's log. */
  readonly originalFileSize: number;
}

/** How many chunks a log has. */
export function chunkCount({ originalChunkSize, originalFileSize }: LogCut): number {
  return Math.ceil(originalFileSize / originalChunkSize);
}

/** Bytes of a chunk before it was transformed. */
export function originalChunkBytes(cut: LogCut, index: number): number {
  const { originalChunkSize, originalFileSize } = cut;
  return Math.min(originalChunkSize, originalFileSize - index * originalChunkSize);
}

/** @throws RangeError, since a caller that asks for a chunk that is not there has a bug */
export function assertChunk(index: number, count: number): void {
  if (Number.isInteger(index) && index >= 0 && index < count) return;
  throw new RangeError(`There is no chunk ${index} of ${count}`);
}

/** @throws RangeError, since a caller that asks for a byte that is not there has a bug */
export function chunkHolding(cut: LogCut, originalOffset: number): number {
  const { originalChunkSize, originalFileSize } = cut;
  if (Number.isInteger(originalOffset) && originalOffset >= 0) {
    if (originalOffset < originalFileSize) return Math.floor(originalOffset / originalChunkSize);
  }
  throw new RangeError(`There is no byte ${originalOffset} of ${originalFileSize}`);
}

/** @throws RemoteStorageError `corrupt` when the stored log would be larger than an object can be */
export function assertStoredBytes(bytes: number): number {
  if (bytes <= 2_147_483_647) return bytes;
  throw new RemoteStorageError('corrupt', `The chunks of the log have ${bytes} bytes in all`);
}
