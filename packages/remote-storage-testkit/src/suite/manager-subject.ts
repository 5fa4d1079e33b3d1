import {
  type ByteRange,
  INDEX_TYPES,
  type IndexType,
  type RemoteLogSegmentMetadata,
  type RemoteStorageManager,
} from '@logloft/remote-storage';
import type { SeededSegment, SegmentParts } from '../fixtures/seeded-segment.ts';
import type { SegmentDamage } from '../fixtures/segment-damage.ts';
import { allBytes, rejectsWithKind, sameBytes } from './assertions.ts';

/** A manager that a case is run on. */
export interface OpenedRemoteStorageManager {
  /** Holds no segment, and is nobody else's. */
  readonly manager: RemoteStorageManager;
  /** Opens another manager over the same segments, as after a restart. */
  readonly reopen?: (() => Promise<RemoteStorageManager>) | undefined;
  /** Damages what is stored of a segment, behind the manager's back. Needs `reopen`. */
  readonly damage?: ((damage: SegmentDamage) => Promise<void>) | undefined;
  /** Whether altered bytes of log and indexes are noticed, by a checksum or by encryption. Default false. */
  readonly noticesAltered?: boolean | undefined;
  /** Frees what the manager leaves behind; called after it was disposed of. */
  readonly cleanUp?: (() => Promise<void>) | undefined;
}

/** What the cases know of the manager they are run on. */
export interface ManagerSubject extends OpenedRemoteStorageManager {
  /** Seed of all bytes and choices. */
  readonly seed: number;
  /** Bytes of a chunk, or about. */
  readonly chunkBytes: number;
}

/** Copies a segment, and gives its metadata as the catalogue holds it then. */
export async function copy(
  manager: RemoteStorageManager,
  { metadata, data }: SeededSegment,
): Promise<RemoteLogSegmentMetadata> {
  const customMetadata = await manager.copyLogSegmentData(metadata, data);
  return { ...metadata, customMetadata, state: 'COPY_SEGMENT_FINISHED' };
}

/** Reads a range of the log whole. */
export async function readLog(
  manager: RemoteStorageManager,
  metadata: RemoteLogSegmentMetadata,
  range: ByteRange = { start: 0 },
): Promise<Uint8Array> {
  return await allBytes(await manager.fetchLogSegment(metadata, range));
}

/** The part of a segment that an index type stands for. */
function partOf(parts: SegmentParts, type: IndexType): Uint8Array | undefined {
  const byType: Readonly<Record<IndexType, Uint8Array | undefined>> = {
    OFFSET: parts.offsetIndex,
    TIMESTAMP: parts.timeIndex,
    PRODUCER_SNAPSHOT: parts.producerSnapshot,
    TRANSACTION: parts.transactionIndex,
    LEADER_EPOCH: parts.leaderEpochIndex,
  };
  return byType[type];
}

/** Every part of the segment must be there, byte for byte; one that was absent must be not found. */
export async function assertPresent(
  manager: RemoteStorageManager,
  metadata: RemoteLogSegmentMetadata,
  parts: SegmentParts,
): Promise<void> {
  sameBytes(await readLog(manager, metadata), parts.log, 'the log');
  for (const type of INDEX_TYPES) {
    const expected = partOf(parts, type);
    if (expected === undefined) {
      await rejectsWithKind(manager.fetchIndex(metadata, type), 'not-found');
    } else {
      sameBytes(await manager.fetchIndex(metadata, type), expected, `the index ${type}`);
    }
  }
}

/** Nothing of the segment must be there. */
export async function assertNotFound(
  manager: RemoteStorageManager,
  metadata: RemoteLogSegmentMetadata,
): Promise<void> {
  await rejectsWithKind(manager.fetchLogSegment(metadata, { start: 0 }), 'not-found');
  await rejectsWithKind(manager.fetchLogSegment(metadata, { start: 5, end: 9 }), 'not-found');
  for (const type of INDEX_TYPES) {
    await rejectsWithKind(manager.fetchIndex(metadata, type), 'not-found');
  }
}
