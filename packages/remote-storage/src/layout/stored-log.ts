import type { SegmentSource } from '../log-segment-data.ts';
import { CompressedSource } from '../transform/compressed-source.ts';
import { encryptedSource } from '../transform/encrypted-source.ts';
import { CIPHER_ADDED_BYTES } from '../transform/segment-cipher.ts';
import type { SegmentEncryptor } from '../transform/segment-encryptor.ts';
import { type ChunkIndex, plainChunkIndex } from './chunk-index.ts';
import { evenChunkIndex } from './fixed-chunk-index.ts';
import { VariableChunkIndex } from './variable-chunk-index.ts';

/** What is done to a log before it is stored. */
export interface LogTransformation {
  readonly chunkBytes: number;
  readonly isCompressed: boolean;
  /** Absent when the segment is not encrypted. */
  readonly encryptor?: SegmentEncryptor | undefined;
}

/** A log as it is stored. */
export interface StoredLog {
  readonly source: SegmentSource;
  /**
   * The chunks as they were stored.
   *
   * @throws RemoteStorageError `corrupt` when a compressed log was not read to its end
   */
  chunkIndex(): ChunkIndex;
}

/** @param maxBytes most bytes of the stored log */
export function storedLog(
  log: SegmentSource,
  { chunkBytes, isCompressed, encryptor }: LogTransformation,
  maxBytes: number,
): StoredLog {
  const cut = { originalChunkSize: chunkBytes, originalFileSize: log.size };
  if (isCompressed) {
    const source = new CompressedSource(log, { chunkBytes, encryptor, maxBytes });
    return { source, chunkIndex: () => new VariableChunkIndex(cut, source.storedSizes) };
  }
  if (encryptor !== undefined) {
    const source = encryptedSource(log, encryptor, chunkBytes);
    return { source, chunkIndex: () => evenChunkIndex(cut, CIPHER_ADDED_BYTES) };
  }
  return { source: log, chunkIndex: () => plainChunkIndex(log.size, chunkBytes) };
}
