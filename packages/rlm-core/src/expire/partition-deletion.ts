import type { TopicIdPartition } from '@logloft/remote-storage';
import type { RemotePartitionDeleteState } from '../metadata/metadata-event.ts';
import { PeriodicTask } from '../scheduling/periodic-task.ts';
import { retryDelayMs } from '../scheduling/retry-delay.ts';
import type { SlotPool } from '../scheduling/slot-pool.ts';
import type { TieringContext } from '../tiering-context.ts';
import { deleteSegment } from './delete-segment.ts';

/** What a {@link PartitionDeletion} works on and with. */
export interface PartitionDeletionOptions {
  readonly context: TieringContext;
  readonly partition: TopicIdPartition;
  readonly workers: SlotPool;
  /** Called once all is gone. */
  onDone(): void;
}

/**
 * Removes everything of a partition from the remote tier, in the background and as often as it takes.
 * The intent is in the metadata log before anything else happens, so a restart goes on with it; Kafka
 * leaves orphans when a deletion fails half-way (KAFKA-15313).
 */
export class PartitionDeletion {
  readonly #options: PartitionDeletionOptions;
  readonly #task: PeriodicTask;
  #failures = 0;
  #error: unknown;

  constructor(options: PartitionDeletionOptions) {
    this.#options = options;
    this.#task = new PeriodicTask({
      clock: options.context.clock,
      run: (signal) => this.#run(signal),
    });
  }

  /** The error of the latest attempt, if it failed. */
  get error(): unknown {
    return this.#error;
  }

  /** Makes the intent durable. */
  mark(signal?: AbortSignal): Promise<void> {
    return this.#put('DELETE_PARTITION_MARKED', signal);
  }

  start(): void {
    this.#task.start();
  }

  /** Aborts what is under way; the next start of the broker goes on with it. */
  stop(reason: unknown): Promise<void> {
    return this.#task.stop(reason);
  }

  async #run(signal: AbortSignal): Promise<number | undefined> {
    const { context, partition, onDone } = this.#options;
    try {
      await context.metadata.whenReady(partition, { signal });
      await this.#put('DELETE_PARTITION_STARTED', signal);
      if (await this.#deleteAll(signal)) {
        await this.#put('DELETE_PARTITION_FINISHED', signal);
        onDone();
        return undefined;
      }
      this.#failures = 0;
      this.#error = undefined;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
    return retryDelayMs(context.options.retry, context.random, this.#failures, this.#error);
  }

  /** @returns whether nothing is left; what a call that was given up may still write to has to wait */
  async #deleteAll(signal: AbortSignal): Promise<boolean> {
    const { context, partition, workers } = this.#options;
    const slot = await workers.acquire(signal);
    try {
      for (const segment of context.metadata.listRemoteLogSegments(partition)) {
        signal.throwIfAborted();
        if (context.inFlight.flightOf(segment) !== undefined) continue;
        await deleteSegment(context, segment, signal);
      }
    } finally {
      slot.release();
    }
    return context.metadata.listRemoteLogSegments(partition).length === 0;
  }

  #put(state: RemotePartitionDeleteState, signal: AbortSignal | undefined): Promise<void> {
    const { context, partition } = this.#options;
    return context.metadata.putRemotePartitionDeleteMetadata(
      {
        topicIdPartition: partition,
        brokerId: context.brokerId,
        eventTimestampMs: context.clock.now(),
        state,
      },
      { signal },
    );
  }

  #failed(error: unknown): void {
    const { context, partition } = this.#options;
    this.#failures += 1;
    this.#error = error;
    context.logger.warn('Deleting a partition from the remote tier failed, and is tried again', {
      topic: partition.topic,
      partition: partition.partition,
      failures: this.#failures,
      error,
    });
  }
}
