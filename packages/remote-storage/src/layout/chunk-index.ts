import { evenChunkIndex, type FixedChunkIndex } from './fixed-chunk-index.ts';
import type { VariableChunkIndex } from './variable-chunk-index.ts';

/** Either form in which a manifest tells where the chunks of a segment are. */
export type ChunkIndex = FixedChunkIndex | VariableChunkIndex;

/** The chunks of a log that is stored as it is. */
export function plainChunkIndex(fileBytes: number, chunkBytes: number): FixedChunkIndex {
  return evenChunkIndex({ originalChunkSize: chunkBytes, originalFileSize: fileBytes });
}
