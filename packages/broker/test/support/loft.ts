import {
  type ByteRange,
  type CallOptions,
  type CustomMetadata,
  type IndexType,
  type LogSegmentData,
  ObjectStoreRemoteStorage,
  type RemoteLogSegmentMetadata,
  type RemoteStorageCapabilities,
  RemoteStorageError,
  type RemoteStorageFactory,
  type RemoteStorageManager,
  readLayoutOptions,
} from '@logloft/remote-storage';
import { MemoryObjectStore } from '@logloft/remote-storage-memory';

/** What a {@link Loft} does instead of its work. */
export type Fault = 'none' | 'fails' | 'hangs' | 'corrupts';

/**
 * A remote store that outlives the brokers which use it, remembers what was asked of it, and fails,
 * hangs or lies when told to.
 */
export class Loft {
  readonly store = new MemoryObjectStore();
  /** Segments whose copy was asked for, as `topic-partition@startOffset`, in order. */
  readonly copies: string[] = [];
  /** Those of them whose copy succeeded. */
  readonly copied: string[] = [];
  /** Bytes of the segments whose copy succeeded. */
  copiedBytes = 0;
  fetches = 0;
  /** Deletions of segments that were asked for. */
  deletions = 0;
  fault: Fault = 'none';
  copyFault: Fault = 'none';

  /** To be given to a broker. */
  readonly factory: RemoteStorageFactory = (_, context) =>
    new LoftStorage(this, new ObjectStoreRemoteStorage(this.store, readLayoutOptions({}), context));

  /** Keys of all objects, in ascending order. */
  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.store.list()) keys.push(key);
    return keys;
  }

  /** Keys of the log objects: one for each segment. */
  async segments(): Promise<string[]> {
    return (await this.keys()).filter((key) => key.endsWith('.log'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.store.close();
  }
}

class LoftStorage implements RemoteStorageManager {
  readonly capabilities: RemoteStorageCapabilities;
  readonly #loft: Loft;
  readonly #inner: RemoteStorageManager;

  constructor(loft: Loft, inner: RemoteStorageManager) {
    this.#loft = loft;
    this.#inner = inner;
    this.capabilities = inner.capabilities;
  }

  async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata | undefined> {
    const { topic, partition } = segment.remoteLogSegmentId.topicIdPartition;
    const name = `${topic}-${partition}@${segment.startOffset}`;
    this.#loft.copies.push(name);
    await suffer(this.#loft.copyFault, options);
    const kept = await this.#inner.copyLogSegmentData(segment, data, options);
    this.#loft.copied.push(name);
    this.#loft.copiedBytes += segment.segmentSizeInBytes;
    return kept;
  }

  async fetchLogSegment(
    segment: RemoteLogSegmentMetadata,
    range: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    this.#loft.fetches += 1;
    await suffer(this.#loft.fault, options);
    const pieces = await this.#inner.fetchLogSegment(segment, range, options);
    return this.#loft.fault === 'corrupts' ? zeroed(pieces) : pieces;
  }

  async fetchIndex(
    segment: RemoteLogSegmentMetadata,
    type: IndexType,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    // Several readers share one download of an index, so that it does not end with any one of them.
    if (this.#loft.fault !== 'hangs') await suffer(this.#loft.fault, options);
    return await this.#inner.fetchIndex(segment, type, options);
  }

  async deleteLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    options: CallOptions = {},
  ): Promise<void> {
    this.#loft.deletions += 1;
    await suffer(this.#loft.copyFault, options);
    await this.#inner.deleteLogSegmentData(segment, options);
  }

  /** The loft goes on: a broker that is closed does not take its store with it. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

async function suffer(fault: Fault, { signal }: CallOptions): Promise<void> {
  if (fault === 'fails') throw new RemoteStorageError('unavailable', 'The store is on fire');
  if (fault !== 'hangs') return;
  await new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal?.reason);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

async function* zeroed(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield new Uint8Array(piece.length);
}
