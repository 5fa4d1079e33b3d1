import type { ReadQuotaManager } from '@logloft/quota';
import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { isRemoteLogError, RemoteLogError } from '../errors.ts';
import { epochForOffset } from '../lineage/leader-epochs.ts';
import type { PartitionLogView } from '../partition-log-view.ts';
import type { SlotPool } from '../scheduling/slot-pool.ts';
import type { TieringContext } from '../tiering-context.ts';
import { remoteAbortedTransactions } from './aborted-transactions.ts';
import type { IndexCache } from './index-cache.ts';
import { type AbortedTransaction, positionForOffset } from './segment-indexes.ts';
import { readBatches, type SegmentBatches } from './segment-reader.ts';

/** What a consumer wants of the remote tier. */
export interface RemoteFetchRequest {
  readonly offset: number;
  /** Most bytes of the answer; the first batch is returned whole all the same. */
  readonly maxBytes: number;
  /**
   * Whether a first batch above `maxBytes` is returned. Default true; a fetch of several partitions
   * grants it to one of them.
   */
  readonly firstBatchAlways?: boolean | undefined;
  /** Whether the answer says which transactions in it were aborted. Default false. */
  readonly readCommitted?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the remote tier answers. */
export type RemoteFetchResult =
  /** The read quota is used up: the partition answers empty, and without error. */
  | { readonly throttled: true }
  | {
      readonly throttled: false;
      /** Whole batches from the first that reaches the offset. May begin before it. */
      readonly records: Buffer;
      /** For read_committed; empty otherwise. Duplicates are possible, and harmless. */
      readonly abortedTransactions: readonly AbortedTransaction[];
      /**
       * For read_committed: the offset up to which the local transaction indexes have to be asked, too,
       * or `undefined` when the remote ones have told everything.
       */
      readonly abortedUpTo: number | undefined;
    };

/** What a {@link RemoteReader} works with. */
export interface RemoteReaderOptions {
  readonly context: TieringContext;
  readonly indexes: IndexCache;
  readonly readers: SlotPool;
  readonly quota: ReadQuotaManager;
}

interface Found extends SegmentBatches {
  readonly segment: RemoteLogSegmentMetadata;
}

/** Reads records from the remote tier, under the read quota and with bounded concurrency and memory. */
export class RemoteReader {
  readonly #context: TieringContext;
  readonly #indexes: IndexCache;
  readonly #readers: SlotPool;
  readonly #quota: ReadQuotaManager;

  constructor(options: RemoteReaderOptions) {
    this.#context = options.context;
    this.#indexes = options.indexes;
    this.#readers = options.readers;
    this.#quota = options.quota;
  }

  /**
   * Reads from an offset on.
   *
   * @throws RemoteLogError `LOGLOFT_RLM_OFFSET_OUT_OF_RANGE`, `LOGLOFT_RLM_READER_QUEUE_FULL`,
   *   `LOGLOFT_RLM_NOT_READY`, `LOGLOFT_RLM_CORRUPT_BATCH`, `LOGLOFT_RLM_CORRUPT_INDEX`,
   *   `LOGLOFT_RLM_STORE_TIMEOUT`; what the store throws; the reason of the signal
   */
  async fetch(log: PartitionLogView, request: RemoteFetchRequest): Promise<RemoteFetchResult> {
    const { metrics } = this.#context;
    const { topic } = log.topicIdPartition;
    request.signal?.throwIfAborted();
    // No read is larger than its segment; what is not there is reported by the read itself.
    const most = this.#segmentAt(log, request.offset)?.segmentSizeInBytes ?? 0;
    const permit = this.#quota.tryAdmit(Math.min(request.maxBytes, most));
    if (permit === undefined) return { throttled: true };
    let bytes = 0;
    metrics.mark('fetchRequests', topic);
    try {
      const slot = await this.#readers.acquire(request.signal);
      try {
        const result = await this.#read(log, request);
        bytes = result.throttled ? 0 : result.records.length;
        return result;
      } finally {
        slot.release();
      }
    } catch (error) {
      const expected =
        request.signal?.aborted === true ||
        isRemoteLogError(error, 'LOGLOFT_RLM_OFFSET_OUT_OF_RANGE');
      if (!expected) metrics.mark('fetchErrors', topic);
      throw error;
    } finally {
      permit.settle(bytes);
      if (bytes > 0) metrics.mark('fetchBytes', topic, bytes);
    }
  }

  async #read(log: PartitionLogView, request: RemoteFetchRequest): Promise<RemoteFetchResult> {
    const found = await this.#findBatches(log, request);
    if (found === undefined) return answer(Buffer.alloc(0), [], undefined);
    const { records, segment, position } = found;
    if (request.readCommitted !== true || records.length === 0) {
      return answer(records, [], undefined);
    }
    const aborted = await remoteAbortedTransactions(this.#context.metadata, this.#indexes, {
      log,
      segment,
      fromOffset: request.offset,
      position,
      bytes: records.length,
      signal: request.signal,
    });
    const upTo = aborted.complete ? undefined : aborted.upperBound;
    return answer(records, aborted.transactions, upTo);
  }

  /** The first batches at or after the offset: a segment may lack its last offsets (KAFKA-15388). */
  async #findBatches(
    log: PartitionLogView,
    request: RemoteFetchRequest,
  ): Promise<Found | undefined> {
    const { signal, maxBytes, firstBatchAlways = true } = request;
    let offset = request.offset;
    let segment = this.#segmentAt(log, offset);
    if (segment === undefined) {
      const { topic, partition } = log.topicIdPartition;
      throw new RemoteLogError(
        'LOGLOFT_RLM_OFFSET_OUT_OF_RANGE',
        `Offset ${offset} of ${topic}-${partition} is not in the remote tier`,
      );
    }
    while (segment !== undefined) {
      const index = await this.#indexes.get(segment, 'OFFSET', signal);
      const position = positionForOffset(index, segment.startOffset, offset);
      const read = { position, fromOffset: offset, maxBytes, firstBatchAlways, signal };
      const batches = await readBatches(this.#context, segment, read);
      if (batches.records.length > 0 || !batches.atEnd) return { ...batches, segment };
      offset = segment.endOffset + 1;
      segment = this.#segmentAt(log, offset);
    }
    return undefined;
  }

  #segmentAt(log: PartitionLogView, offset: number): RemoteLogSegmentMetadata | undefined {
    const epoch = epochForOffset(log.leaderEpochs, offset);
    if (epoch === undefined) return undefined;
    const { metadata } = this.#context;
    return metadata.remoteLogSegmentMetadata(log.topicIdPartition, epoch, offset);
  }
}

function answer(
  records: Buffer,
  abortedTransactions: readonly AbortedTransaction[],
  abortedUpTo: number | undefined,
): RemoteFetchResult {
  return { throttled: false, records, abortedTransactions, abortedUpTo };
}
