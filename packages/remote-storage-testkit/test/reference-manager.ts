import {
  type ByteRange,
  type CallOptions,
  type CustomMetadata,
  clipByteRange,
  collectBytes,
  type IndexType,
  type LogSegmentData,
  pacedSlices,
  type RemoteLogSegmentMetadata,
  RemoteResourceNotFoundError,
  type RemoteStorageCapabilities,
  RemoteStorageError,
  type RemoteStorageManager,
  type SegmentSource,
  sourceSlices,
} from '@logloft/remote-storage';
import { cut } from './reference-object-store.ts';

export interface KeptSegment {
  readonly log: Uint8Array;
  readonly indexes: ReadonlyMap<IndexType, Uint8Array>;
}

/** The plainest manager that keeps the contract; the broken ones differ from it in one thing each. */
export class ReferenceManager implements RemoteStorageManager {
  readonly capabilities: RemoteStorageCapabilities = {
    name: 'reference',
    durable: false,
    paced: true,
    maxSegmentBytes: 100_000_000,
  };
  readonly segments: Map<string, KeptSegment> = new Map();
  #closed = false;

  async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata | undefined> {
    this.check(options);
    const key = this.keyOf(segment);
    this.segments.delete(key);
    const kept = await this.readParts(data, options);
    options.signal?.throwIfAborted();
    this.segments.set(key, kept);
    return undefined;
  }

  async fetchLogSegment(
    segment: RemoteLogSegmentMetadata,
    range: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    this.check(options);
    const { log } = this.find(segment);
    const { start, length } = clipByteRange(range, log.byteLength);
    return pacedSlices(cut(log.subarray(start, start + length)), options);
  }

  async fetchIndex(
    segment: RemoteLogSegmentMetadata,
    type: IndexType,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    this.check(options);
    const bytes = this.find(segment).indexes.get(type);
    if (bytes === undefined) throw new RemoteResourceNotFoundError('no such index');
    return bytes;
  }

  async deleteLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    options: CallOptions = {},
  ): Promise<void> {
    this.check(options);
    this.segments.delete(this.keyOf(segment));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
  }

  protected keyOf({ remoteLogSegmentId }: RemoteLogSegmentMetadata): string {
    const { topicIdPartition, id } = remoteLogSegmentId;
    return `${topicIdPartition.topicId}/${topicIdPartition.partition}/${id}`;
  }

  protected check({ signal }: CallOptions): void {
    signal?.throwIfAborted();
    if (this.#closed) throw new RemoteStorageError('aborted', 'closed');
  }

  protected find(segment: RemoteLogSegmentMetadata): KeptSegment {
    const kept = this.segments.get(this.keyOf(segment));
    if (kept === undefined) throw new RemoteResourceNotFoundError('no such segment');
    return kept;
  }

  protected async readParts(data: LogSegmentData, options: CallOptions): Promise<KeptSegment> {
    const whole = (source: SegmentSource): Promise<Uint8Array> =>
      collectBytes(sourceSlices(source, options), source.size);
    const indexes = new Map<IndexType, Uint8Array>();
    const log = await whole(data.log);
    indexes.set('OFFSET', await whole(data.offsetIndex));
    indexes.set('TIMESTAMP', await whole(data.timeIndex));
    indexes.set('PRODUCER_SNAPSHOT', await whole(data.producerSnapshot));
    indexes.set('LEADER_EPOCH', data.leaderEpochIndex);
    if (data.transactionIndex) indexes.set('TRANSACTION', await whole(data.transactionIndex));
    return { log, indexes };
  }
}
