import { RemoteStorageError } from '../errors.ts';
import type { ChunkPlace, ChunkPlaces } from './chunk-places.ts';
import {
  assertChunk,
  assertStoredBytes,
  chunkCount,
  chunkHolding,
  type LogCut,
  originalChunkBytes,
} from './log-cut.ts';

/** The chunks of a log each of which has a size of its own, because it was compressed. */
export class VariableChunkIndex implements ChunkPlaces {
  readonly type = 'variable' as const;
  readonly originalChunkSize: number;
  readonly originalFileSize: number;
  // Where each chunk begins in the stored log, and at last where the log ends.
  readonly #starts: Uint32Array;

  /**
   * @param sizes bytes of each chunk as stored
   * @throws RemoteStorageError `corrupt` unless there are as many as the log has chunks, none of them
   *   empty, with at most 2^31 - 1 bytes in all
   */
  constructor(cut: LogCut, sizes: ArrayLike<number>) {
    this.originalChunkSize = cut.originalChunkSize;
    this.originalFileSize = cut.originalFileSize;
    const count = chunkCount(cut);
    if (sizes.length !== count) {
      throw new RemoteStorageError(
        'corrupt',
        `There are ${sizes.length} chunks, but ${cut.originalFileSize} bytes in chunks of ` +
          `${cut.originalChunkSize} make ${count}`,
      );
    }
    this.#starts = startsOf(sizes);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  get originalBytes(): number {
    return this.originalFileSize;
  }

  get storedBytes(): number {
    return this.#starts[this.count] ?? 0;
  }

  /** Bytes of each chunk as stored. */
  get storedSizes(): readonly number[] {
    return Array.from({ length: this.count }, (_, index) => this.at(index).storedBytes);
  }

  at(index: number): ChunkPlace {
    assertChunk(index, this.count);
    const storedStart = this.#starts[index] ?? 0;
    return {
      originalStart: index * this.originalChunkSize,
      originalBytes: originalChunkBytes(this, index),
      storedStart,
      storedBytes: (this.#starts[index + 1] ?? 0) - storedStart,
    };
  }

  holding(originalOffset: number): number {
    return chunkHolding(this, originalOffset);
  }
}

function startsOf(sizes: ArrayLike<number>): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  let total = 0;
  for (let index = 0; index < sizes.length; index += 1) {
    const size = sizes[index] ?? 0;
    if (size <= 0) throw new RemoteStorageError('corrupt', `Chunk ${index} has ${size} bytes`);
    total = assertStoredBytes(total + size);
    starts[index + 1] = total;
  }
  return starts;
}
