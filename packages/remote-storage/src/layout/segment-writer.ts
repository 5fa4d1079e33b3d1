import type { CallOptions } from '../call-options.ts';
import { isRemoteStorageError, RemoteStorageError } from '../errors.ts';
import type { LogSegmentData, SegmentSource } from '../log-segment-data.ts';
import { memorySource } from '../memory-source.ts';
import type { ObjectStore } from '../object-store.ts';
import type { RemoteLogSegmentMetadata } from '../segment-metadata.ts';
import { encryptedSource } from '../transform/encrypted-source.ts';
import type { SegmentEncryptor } from '../transform/segment-encryptor.ts';
import { MAX_LISTED_CHUNKS } from './chunk-sizes.ts';
import { concatenatedSource } from './concatenated-source.ts';
import { encodeManifest } from './encode-manifest.ts';
import { chunkCount } from './log-cut.ts';
import type { SegmentIndexes } from './manifest.ts';
import type { SegmentKeys } from './segment-key.ts';
import { type LogTransformation, storedLog } from './stored-log.ts';

/** Aiven's plugin counts in signed 32-bit numbers. */
export const MAX_SEGMENT_OBJECT_BYTES = 2_147_483_647;

/** What is written where. */
export interface SegmentToWrite extends LogTransformation {
  readonly keys: SegmentKeys;
  readonly segment: RemoteLogSegmentMetadata;
  readonly data: LogSegmentData;
  /**
   * Removes what was copied earlier under the same id. Given, it is called when the first object turns
   * out to be there already; otherwise the caller has made sure that there is none.
   */
  readonly removeEarlier?: (() => Promise<void>) | undefined;
}

/**
 * Writes the objects of a segment one after the other: the indexes, since they are small and show
 * whether something was there before, the log, and last the manifest, with which the segment begins to
 * exist. What a failure leaves behind is the caller's to remove.
 *
 * @returns bytes of all three objects
 */
export async function writeSegment(
  store: ObjectStore,
  what: SegmentToWrite,
  options: CallOptions,
): Promise<number> {
  const { keys, segment, data, isCompressed, encryptor } = what;
  assertCopyable(what);
  const maxBytes = Math.min(MAX_SEGMENT_OBJECT_BYTES, store.capabilities.maxObjectBytes);
  const log = storedLog(data.log, what, maxBytes);
  const { indexes, source } = layOutIndexes(data, encryptor);
  assertFits(log.source, source, maxBytes);
  await putFirst(store, { ...what, source }, options);
  await store.put(keys.log, log.source, options);
  const chunkIndex = log.chunkIndex();
  const { encryption } = encryptor ?? {};
  const manifest = encodeManifest(
    { chunkIndex, segmentIndexes: indexes, isCompressed, encryption },
    segment,
  );
  await store.put(keys.manifest, memorySource(manifest), options);
  return chunkIndex.storedBytes + source.size + manifest.byteLength;
}

async function putFirst(
  store: ObjectStore,
  { keys, source, removeEarlier }: SegmentToWrite & { readonly source: SegmentSource },
  options: CallOptions,
): Promise<void> {
  const ifAbsent = removeEarlier !== undefined;
  try {
    await store.put(keys.indexes, source, { ...options, ifAbsent });
  } catch (error) {
    const isThere = isRemoteStorageError(error) && error.kind === 'precondition';
    if (removeEarlier === undefined || !isThere) throw error;
    await removeEarlier();
    await store.put(keys.indexes, source, options);
  }
}

function layOutIndexes(
  data: LogSegmentData,
  encryptor: SegmentEncryptor | undefined,
): { readonly indexes: SegmentIndexes; readonly source: SegmentSource } {
  const parts: SegmentSource[] = [];
  let position = 0;
  const next = (plain: SegmentSource): { position: number; size: number } => {
    const part = encryptor === undefined ? plain : encryptedSource(plain, encryptor, plain.size);
    const place = { position, size: part.size };
    position += part.size;
    parts.push(part);
    return place;
  };
  const { offsetIndex, timeIndex, producerSnapshot, transactionIndex } = data;
  const indexes = {
    offset: next(offsetIndex),
    timestamp: next(timeIndex),
    producerSnapshot: next(producerSnapshot),
    leaderEpoch: next(memorySource(data.leaderEpochIndex)),
    transaction: transactionIndex === undefined ? null : next(transactionIndex),
  };
  return { indexes, source: concatenatedSource(parts) };
}

function assertCopyable(what: SegmentToWrite): void {
  const { segment, data, chunkBytes, isCompressed, encryptor } = what;
  if (data.log.size !== segment.segmentSizeInBytes) {
    throw new RemoteStorageError(
      'corrupt',
      `The catalogue says that the segment has ${segment.segmentSizeInBytes} bytes, but its log has ` +
        `${data.log.size}; it is not copied`,
    );
  }
  const count = chunkCount({ originalChunkSize: chunkBytes, originalFileSize: data.log.size });
  if ((isCompressed || encryptor !== undefined) && count > MAX_LISTED_CHUNKS) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `A segment of ${data.log.size} bytes makes ${count} chunks, at most ${MAX_LISTED_CHUNKS} can be ` +
        'compressed or encrypted; raise chunk.size',
    );
  }
}

function assertFits(log: SegmentSource, indexes: SegmentSource, limit: number): void {
  if (log.size <= limit && indexes.size <= limit) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `A segment stored as ${log.size} bytes with indexes of ${indexes.size} does not fit into objects of ` +
      `at most ${limit} bytes; lower segment.bytes`,
  );
}
