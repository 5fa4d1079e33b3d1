import type { ChunkIndex } from './chunk-index.ts';

/** Place of one index in the indexes object, in bytes. */
export interface IndexPlace {
  readonly position: number;
  readonly size: number;
}

/** Where the indexes of a segment are. */
export interface SegmentIndexes {
  readonly offset: IndexPlace;
  readonly timestamp: IndexPlace;
  readonly producerSnapshot: IndexPlace;
  readonly leaderEpoch: IndexPlace;
  /** `null` when the segment has no aborted transaction. */
  readonly transaction: IndexPlace | null;
}

/** With what a segment is encrypted. */
export interface SegmentEncryption {
  /** `<id of the key pair>:<data key, wrapped with its public key, in base64>`. */
  readonly dataKey: string;
  /** Additional authenticated data of everything of the segment. */
  readonly aad: Uint8Array;
}

/** Version 1 of the manifest of Aiven's plugin. A segment exists when its manifest does. */
export interface SegmentManifest {
  readonly chunkIndex: ChunkIndex;
  readonly segmentIndexes: SegmentIndexes;
  /** Whether each chunk of the log is a zstd frame. Default false. */
  readonly isCompressed?: boolean | undefined;
  /** Absent when the segment is not encrypted. */
  readonly encryption?: SegmentEncryption | undefined;
}

/** More than any manifest can need in bytes: 10 MiB of chunk sizes in base64, and the rest. */
export const MAX_MANIFEST_BYTES: number = 16 * 1024 * 1024;
