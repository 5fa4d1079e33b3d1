import type { ReadQuotaManager } from '@logloft/quota';
import { linkedController } from '../abort.ts';
import type { PartitionLogView, TimestampAndOffset } from '../partition-log-view.ts';
import { callPlugin } from '../plugin-call.ts';
import { SlotPool } from '../scheduling/slot-pool.ts';
import type { TieringContext } from '../tiering-context.ts';
import { IndexCache } from './index-cache.ts';
import { type RemoteFetchRequest, type RemoteFetchResult, RemoteReader } from './remote-reader.ts';
import { remoteMaxTimestamp, remoteOffsetForTimestamp } from './timestamp-lookup.ts';

/** How long a read waits for a catalogue that is being read, before it says so (KAFKA-19599). */
const READY_WAIT_MS = 100;

interface CallSignal {
  readonly signal?: AbortSignal | undefined;
}

/** All reads of the remote tier: they share their slots, and the index cache. */
export class RemoteReads {
  readonly slots: SlotPool;
  readonly indexes: IndexCache;
  readonly #context: TieringContext;
  readonly #reader: RemoteReader;
  /** Ends all reads when it aborts. */
  readonly #closing: AbortSignal;

  constructor(context: TieringContext, quota: ReadQuotaManager, closing: AbortSignal) {
    this.#context = context;
    this.#closing = closing;
    this.slots = new SlotPool({
      size: context.options.readerThreads,
      maxWaiting: context.options.readerMaxPendingTasks,
    });
    this.indexes = new IndexCache({
      maxBytes: context.options.indexCacheBytes,
      fetch: (segment, name) =>
        callPlugin(
          {
            clock: context.clock,
            what: `read of the ${name} index of segment ${segment.remoteLogSegmentId.id}`,
            stallTimeoutMs: context.options.fetchTimeoutMs,
            graceMs: 0,
            signal: closing,
          },
          ({ signal }) => context.store.fetchIndex(segment, name, { signal }),
        ).result,
    });
    const { indexes, slots: readers } = this;
    this.#reader = new RemoteReader({ context, indexes, readers, quota });
  }

  /** Reads records. @throws as {@link RemoteReader.fetch} */
  fetch(log: PartitionLogView, request: RemoteFetchRequest): Promise<RemoteFetchResult> {
    return this.#linked(log, request.signal, (signal) =>
      this.#reader.fetch(log, { ...request, signal }),
    );
  }

  /** Look-ups by time take a slot like fetches, but are not under their quota. */
  offsetForTimestamp(
    log: PartitionLogView,
    timestampMs: number,
    options: CallSignal,
  ): Promise<TimestampAndOffset | undefined> {
    return this.#inSlot(log, options.signal, (signal) =>
      remoteOffsetForTimestamp(this.#context, this.indexes, log, { timestampMs, signal }),
    );
  }

  maxTimestamp(
    log: PartitionLogView,
    options: CallSignal,
  ): Promise<TimestampAndOffset | undefined> {
    return this.#inSlot(log, options.signal, (signal) =>
      remoteMaxTimestamp(this.#context, this.indexes, log, signal),
    );
  }

  #inSlot<T>(
    log: PartitionLogView,
    callerSignal: AbortSignal | undefined,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#linked(log, callerSignal, async (signal) => {
      const slot = await this.slots.acquire(signal);
      try {
        return await read(signal);
      } finally {
        slot.release();
      }
    });
  }

  async #linked<T>(
    log: PartitionLogView,
    callerSignal: AbortSignal | undefined,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { controller, unlink } = linkedController([callerSignal, this.#closing]);
    try {
      await this.#readySoon(log, controller.signal);
      return await read(controller.signal);
    } finally {
      unlink();
    }
  }

  /** Waits a moment for a catalogue that is being read; whether it is ready is for the look-up to say. */
  async #readySoon(log: PartitionLogView, callerSignal: AbortSignal): Promise<void> {
    const { metadata, clock } = this.#context;
    if (metadata.isReady(log.topicIdPartition)) return;
    const { controller, unlink } = linkedController([callerSignal]);
    const timer = clock.setTimer(READY_WAIT_MS, () => controller.abort());
    try {
      await metadata.whenReady(log.topicIdPartition, { signal: controller.signal });
    } catch {
      callerSignal.throwIfAborted();
    } finally {
      timer.cancel();
      unlink();
    }
  }
}
