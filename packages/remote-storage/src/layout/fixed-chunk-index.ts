import type { ChunkPlace, ChunkPlaces } from './chunk-places.ts';
import {
  assertChunk,
  assertStoredBytes,
  chunkCount,
  chunkHolding,
  type LogCut,
  originalChunkBytes,
} from './log-cut.ts';

/** Sizes of a {@link FixedChunkIndex}, by the names in the manifest. All in bytes. */
export interface FixedChunkSizes extends LogCut {
  /** Of a chunk as stored. */
  readonly transformedChunkSize: number;
  /** Of the last chunk as stored; always given, also when it is as long as the others. */
  readonly finalTransformedChunkSize: number;
}

/** The chunks of a log whose chunks all have one size, but for the last. */
export class FixedChunkIndex implements ChunkPlaces, FixedChunkSizes {
  readonly type = 'fixed' as const;
  readonly originalChunkSize: number;
  readonly originalFileSize: number;
  readonly transformedChunkSize: number;
  readonly finalTransformedChunkSize: number;

  /** @throws RemoteStorageError `corrupt` when the stored log would have more than 2^31 - 1 bytes */
  constructor(sizes: FixedChunkSizes) {
    this.originalChunkSize = sizes.originalChunkSize;
    this.originalFileSize = sizes.originalFileSize;
    this.transformedChunkSize = sizes.transformedChunkSize;
    this.finalTransformedChunkSize = sizes.finalTransformedChunkSize;
    assertStoredBytes(this.storedBytes);
  }

  get count(): number {
    return chunkCount(this);
  }

  get originalBytes(): number {
    return this.originalFileSize;
  }

  get storedBytes(): number {
    const { count } = this;
    if (count === 0) return 0;
    return (count - 1) * this.transformedChunkSize + this.finalTransformedChunkSize;
  }

  at(index: number): ChunkPlace {
    const { count } = this;
    assertChunk(index, count);
    const isLast = index === count - 1;
    return {
      originalStart: index * this.originalChunkSize,
      originalBytes: originalChunkBytes(this, index),
      storedStart: index * this.transformedChunkSize,
      storedBytes: isLast ? this.finalTransformedChunkSize : this.transformedChunkSize,
    };
  }

  holding(originalOffset: number): number {
    return chunkHolding(this, originalOffset);
  }
}

/**
 * The chunks of a log each of which is stored with so many bytes more than it has.
 *
 * @param addedBytes 0 for a log that is stored as it is, which is the default
 */
export function evenChunkIndex(cut: LogCut, addedBytes: number = 0): FixedChunkIndex {
  const { originalChunkSize, originalFileSize } = cut;
  const count = chunkCount(cut);
  return new FixedChunkIndex({
    originalChunkSize,
    originalFileSize,
    transformedChunkSize: originalChunkSize + addedBytes,
    finalTransformedChunkSize: count === 0 ? 0 : originalChunkBytes(cut, count - 1) + addedBytes,
  });
}
