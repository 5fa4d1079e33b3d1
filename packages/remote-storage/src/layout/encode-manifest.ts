import { RemoteStorageError } from '../errors.ts';
import type { RemoteLogSegmentMetadata } from '../segment-metadata.ts';
import type { ChunkIndex } from './chunk-index.ts';
import { chunkSizesText, MAX_CHUNK_SIZES_BYTES } from './chunk-sizes.ts';
import {
  type IndexPlace,
  MAX_MANIFEST_BYTES,
  type SegmentEncryption,
  type SegmentManifest,
} from './manifest.ts';

/**
 * The manifest as Aiven's plugin writes it, byte for byte: order of the properties, no white space, no
 * end of line. Nothing may be added, since its reader refuses unknown properties.
 *
 * @throws RemoteStorageError `invalid-configuration` when there are more chunks than a manifest can list
 */
export function encodeManifest(
  manifest: SegmentManifest,
  segment: RemoteLogSegmentMetadata,
): Uint8Array {
  const { chunkIndex, segmentIndexes: indexes, isCompressed = false, encryption } = manifest;
  const json = [
    '{"version":"1","chunkIndex":',
    chunkIndexJson(chunkIndex),
    ',"segmentIndexes":',
    JSON.stringify({
      offset: placeOf(indexes.offset),
      timestamp: placeOf(indexes.timestamp),
      producerSnapshot: placeOf(indexes.producerSnapshot),
      leaderEpoch: placeOf(indexes.leaderEpoch),
      transaction: indexes.transaction === null ? null : placeOf(indexes.transaction),
    }),
    `,"compression":${isCompressed}`,
    encryption === undefined ? '' : `,"encryption":${encryptionJson(encryption)}`,
    ',"remoteLogSegmentMetadata":',
    segmentJson(segment),
    '}',
  ].join('');
  const bytes = new TextEncoder().encode(json);
  if (bytes.byteLength > MAX_MANIFEST_BYTES) throw tooManyChunks(chunkIndex.count);
  return bytes;
}

function chunkIndexJson(index: ChunkIndex): string {
  const { type, originalChunkSize, originalFileSize } = index;
  if (type === 'fixed') {
    const { transformedChunkSize, finalTransformedChunkSize } = index;
    return JSON.stringify({
      type,
      originalChunkSize,
      originalFileSize,
      transformedChunkSize,
      finalTransformedChunkSize,
    });
  }
  const transformedChunks = chunkSizesText(index.storedSizes);
  return JSON.stringify({ type, originalChunkSize, originalFileSize, transformedChunks });
}

function encryptionJson({ dataKey, aad }: SegmentEncryption): string {
  return JSON.stringify({ dataKey, aad: Buffer.from(aad).toString('base64') });
}

function placeOf({ position, size }: IndexPlace): IndexPlace {
  return { position, size };
}

// Written by hand where the order of the keys matters: an object would sort the epochs by its own rules.
function segmentJson(segment: RemoteLogSegmentMetadata): string {
  const { topicIdPartition, id } = segment.remoteLogSegmentId;
  const { topicId, topic, partition } = topicIdPartition;
  const epochs = segment.segmentLeaderEpochs
    .map(({ epoch, startOffset }) => `"${epoch}":${startOffset}`)
    .join(',');
  const head = JSON.stringify({
    remoteLogSegmentId: {
      topicIdPartition: { topicId, topicPartition: { topic, partition } },
      id,
    },
    startOffset: segment.startOffset,
    endOffset: segment.endOffset,
    maxTimestampMs: segment.maxTimestampMs,
    brokerId: segment.brokerId,
    eventTimestampMs: segment.eventTimestampMs,
  });
  return `${head.slice(0, -1)},"segmentLeaderEpochs":{${epochs}}}`;
}

function tooManyChunks(count: number): RemoteStorageError {
  return new RemoteStorageError(
    'invalid-configuration',
    `A manifest cannot list ${count} chunks (at most ${MAX_CHUNK_SIZES_BYTES} bytes of sizes); raise chunk.size`,
  );
}
