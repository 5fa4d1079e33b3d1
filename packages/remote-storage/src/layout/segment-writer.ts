import type { CallOptions } from '../call-options.ts';
import { RemoteStorageError } from '../errors.ts';
import type { LogSegmentData, SegmentSource } from '../log-segment-data.ts';
import { memorySource } from '../memory-source.ts';
import type { ObjectStore } from '../object-store.ts';
import type { RemoteLogSegmentMetadata } from '../segment-metadata.ts';
import { plainChunkIndex } from './chunk-index.ts';
import { concatenatedSource } from './concatenated-source.ts';
import { encodeManifest } from './encode-manifest.ts';
import type { SegmentIndexes } from './manifest.ts';
import type { SegmentKeys } from './segment-key.ts';

/** Aiven's plugin counts in signed 32-bit numbers. */
export const MAX_SEGMENT_OBJECT_BYTES = 2_147_483_647;

/** What is written where. */
export interface SegmentToWrite {
  readonly keys: SegmentKeys;
  readonly segment: RemoteLogSegmentMetadata;
  readonly data: LogSegmentData;
  /** Bytes of a chunk, for the manifest. */
  readonly chunkBytes: number;
}

/**
 * Writes the objects of a segment one after the other, the manifest last: with it the segment begins
 * to exist. What a failure leaves behind is the caller's to remove.
 *
 * @returns bytes of all three objects
 */
export async function writeSegment(
  store: ObjectStore,
  what: SegmentToWrite,
  options: CallOptions,
): Promise<number> {
  const { keys, segment, data, chunkBytes } = what;
  const { indexes, source } = layOutIndexes(data);
  assertWritable(what, source.size, store.capabilities.maxObjectBytes);
  const chunkIndex = plainChunkIndex(data.log.size, chunkBytes);
  const manifest = encodeManifest({ chunkIndex, segmentIndexes: indexes }, segment);
  await store.put(keys.log, data.log, options);
  await store.put(keys.indexes, source, options);
  await store.put(keys.manifest, memorySource(manifest), options);
  return data.log.size + source.size + manifest.byteLength;
}

function layOutIndexes(data: LogSegmentData): {
  readonly indexes: SegmentIndexes;
  readonly source: SegmentSource;
} {
  const { offsetIndex, timeIndex, producerSnapshot, transactionIndex } = data;
  const leaderEpochs = memorySource(data.leaderEpochIndex);
  const parts = [offsetIndex, timeIndex, producerSnapshot, leaderEpochs];
  if (transactionIndex !== undefined) parts.push(transactionIndex);
  let position = 0;
  const next = ({ size }: SegmentSource): { position: number; size: number } => {
    const place = { position, size };
    position += size;
    return place;
  };
  const indexes = {
    offset: next(offsetIndex),
    timestamp: next(timeIndex),
    producerSnapshot: next(producerSnapshot),
    leaderEpoch: next(leaderEpochs),
    transaction: transactionIndex === undefined ? null : next(transactionIndex),
  };
  return { indexes, source: concatenatedSource(parts) };
}

function assertWritable(what: SegmentToWrite, indexBytes: number, maxObjectBytes: number): void {
  const { segment, data } = what;
  if (data.log.size !== segment.segmentSizeInBytes) {
    throw new RemoteStorageError(
      'corrupt',
      `The catalogue says that the segment has ${segment.segmentSizeInBytes} bytes, but its log has ` +
        `${data.log.size}; it is not copied`,
    );
  }
  const limit = Math.min(MAX_SEGMENT_OBJECT_BYTES, maxObjectBytes);
  if (data.log.size > limit || indexBytes > limit) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `A segment of ${data.log.size} bytes with indexes of ${indexBytes} does not fit into objects of ` +
        `at most ${limit} bytes; lower segment.bytes`,
    );
  }
}
