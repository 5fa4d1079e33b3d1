import { RemoteStorageError } from '../errors.ts';
import type { RemoteLogSegmentMetadata } from '../segment-metadata.ts';
import type { FixedChunkIndex } from './chunk-index.ts';

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

/**
 * Version 1 of the manifest of Aiven's plugin, for segments that are neither compressed nor
 * encrypted. A segment exists when its manifest does.
 */
export interface SegmentManifest {
  readonly chunkIndex: FixedChunkIndex;
  readonly segmentIndexes: SegmentIndexes;
}

/** More than any manifest without a variable chunk index can need, in bytes. */
export const MAX_MANIFEST_BYTES: number = 1024 * 1024;

const MAX_INT32 = 2_147_483_647;

/**
 * The manifest as Aiven's plugin writes it, byte for byte: order of the properties, no white space, no
 * end of line. Nothing may be added, since its reader refuses unknown properties.
 */
export function encodeManifest(
  manifest: SegmentManifest,
  segment: RemoteLogSegmentMetadata,
): Uint8Array {
  const { chunkIndex: chunks, segmentIndexes: indexes } = manifest;
  const json = [
    '{"version":"1","chunkIndex":',
    JSON.stringify({
      type: chunks.type,
      originalChunkSize: chunks.originalChunkSize,
      originalFileSize: chunks.originalFileSize,
      transformedChunkSize: chunks.transformedChunkSize,
      finalTransformedChunkSize: chunks.finalTransformedChunkSize,
    }),
    ',"segmentIndexes":',
    JSON.stringify({
      offset: placeOf(indexes.offset),
      timestamp: placeOf(indexes.timestamp),
      producerSnapshot: placeOf(indexes.producerSnapshot),
      leaderEpoch: placeOf(indexes.leaderEpoch),
      transaction: indexes.transaction === null ? null : placeOf(indexes.transaction),
    }),
    ',"compression":false,"remoteLogSegmentMetadata":',
    segmentJson(segment),
    '}',
  ].join('');
  return new TextEncoder().encode(json);
}

/**
 * Reads a manifest, its own or one that Aiven's plugin wrote. What it says of the segment's metadata
 * is not looked at: the catalogue knows better.
 *
 * @throws RemoteStorageError `corrupt` when it is no manifest of version 1, `invalid-configuration` when
 *   the segment is compressed or encrypted, which this version cannot undo
 */
export function decodeManifest(bytes: Uint8Array): SegmentManifest {
  const root = record(parse(bytes), 'the manifest');
  if (root.get('version') !== '1') {
    throw corrupt(`version "1" was expected, found ${JSON.stringify(root.get('version'))}`);
  }
  const chunks = record(root.get('chunkIndex'), 'chunkIndex');
  const compressed = root.get('compression') === true || chunks.get('type') === 'variable';
  if (compressed || root.has('encryption')) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `The segment is ${compressed ? 'compressed' : 'encrypted'}, and this version reads only plain segments`,
    );
  }
  if (chunks.get('type') !== 'fixed') {
    throw corrupt(`chunkIndex.type is ${JSON.stringify(chunks.get('type'))}`);
  }
  const indexes = record(root.get('segmentIndexes'), 'segmentIndexes');
  if (!indexes.has('transaction')) throw corrupt('segmentIndexes.transaction is missing');
  return {
    chunkIndex: {
      type: 'fixed',
      originalChunkSize: size(chunks, 'originalChunkSize', 1),
      originalFileSize: size(chunks, 'originalFileSize'),
      transformedChunkSize: size(chunks, 'transformedChunkSize'),
      finalTransformedChunkSize: size(chunks, 'finalTransformedChunkSize'),
    },
    segmentIndexes: {
      offset: place(indexes, 'offset'),
      timestamp: place(indexes, 'timestamp'),
      producerSnapshot: place(indexes, 'producerSnapshot'),
      leaderEpoch: place(indexes, 'leaderEpoch'),
      transaction: indexes.get('transaction') === null ? null : place(indexes, 'transaction'),
    },
  };
}

function placeOf({ position, size: bytes }: IndexPlace): IndexPlace {
  return { position, size: bytes };
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

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw corrupt('it is no JSON text', error);
  }
}

function record(value: unknown, name: string): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw corrupt(`${name} is no object`);
  }
  return new Map(Object.entries(value));
}

function place(indexes: ReadonlyMap<string, unknown>, name: string): IndexPlace {
  const found = record(indexes.get(name), `segmentIndexes.${name}`);
  return { position: size(found, 'position'), size: size(found, 'size') };
}

function size(fields: ReadonlyMap<string, unknown>, name: string, least = 0): number {
  const value = fields.get(name);
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) {
    if (value <= MAX_INT32) return value;
  }
  throw corrupt(
    `${name} is ${JSON.stringify(value)}, expected an integer from ${least} to 2^31 - 1`,
  );
}

function corrupt(problem: string, cause?: unknown): RemoteStorageError {
  return new RemoteStorageError('corrupt', `Not a manifest that can be read: ${problem}`, {
    cause,
  });
}
