import type { Clock } from '@logloft/clock';
import type { TopicIdPartition } from '@logloft/remote-storage';
import { isRemoteLogError, type RemoteLogManager } from '@logloft/rlm-core';
import type { DeletedTopic } from '../cluster/cluster-state.ts';
import type { BrokerLogger } from '../logger.ts';
import { SerialQueue } from '../serial-queue.ts';
import type { Partition } from '../topics/partition.ts';
import type { TopicListener } from '../topics/topic-manager.ts';
import { LogView } from './log-view.ts';

/** Ms after which it is asked again whether a deletion has come to its end. */
const DELETION_CHECK_MS = 100;

/** What {@link TieredPartitions} works with. */
export interface TieredPartitionsContext {
  readonly clock: Clock;
  readonly logger: BrokerLogger;
  /** Makes log starts outlive a crash. */
  readonly checkpoint: () => Promise<void>;
}

/**
 * Tells the remote log manager which partitions it works on, as topics come, change and go. One change
 * after the other, so that a partition is never taken over after it was let go.
 */
export class TieredPartitions implements TopicListener {
  readonly #context: TieredPartitionsContext;
  readonly #manager: RemoteLogManager;
  readonly #views = new WeakMap<Partition, LogView>();
  readonly #changes = new SerialQueue();
  readonly #closing = new AbortController();

  constructor(context: TieredPartitionsContext, manager: RemoteLogManager) {
    this.#context = context;
    this.#manager = manager;
  }

  /** The partition as the remote log manager sees it. */
  viewOf(partition: Partition): LogView {
    const known = this.#views.get(partition);
    if (known !== undefined) return known;
    const view = new LogView(partition, this.#context.checkpoint);
    this.#views.set(partition, view);
    return view;
  }

  onPartitionsLed(partitions: readonly Partition[]): void {
    const tiered = partitions.filter(({ settings }) => settings.tiered);
    const discarded = partitions.filter(({ settings }) => settings.discardsRemoteData);
    if (tiered.length > 0) {
      this.#logFailure('Partitions could not be taken over for tiering', this.#takeOver(tiered));
    }
    if (discarded.length > 0) {
      this.#logFailure(
        'What the remote tier has of partitions that left it is not removed yet; the next start goes on with it',
        this.#discard(discarded),
      );
    }
  }

  /** Resolves when the deletion is durably intended; it goes on in the background. */
  async onTopicDeleted(
    { name, topicId, partitions }: DeletedTopic,
    present: readonly Partition[],
  ): Promise<void> {
    // After a restart nothing is known of the topic's settings any more, so the catalogue is asked.
    const hasRemoteData = present.some(
      ({ settings }) => settings.tiered || settings.discardsRemoteData,
    );
    if (present.length > 0 && !hasRemoteData) return;
    const all = Array.from({ length: partitions }, (_, partition) => ({
      topic: name,
      topicId,
      partition,
    }));
    await this.#changes.run(() => this.#manager.onStopPartitions(all, { deleteRemote: true }));
  }

  /** Ends waiting. The manager is closed by whoever opened it. */
  close(): void {
    this.#closing.abort();
  }

  async #takeOver(partitions: readonly Partition[]): Promise<void> {
    const { metadata } = this.#manager;
    // Only a catalogue that is read tells which old data is still to be removed.
    await Promise.all(
      partitions.map((partition) => metadata.whenReady(this.viewOf(partition).topicIdPartition)),
    );
    const held = await this.#changes.run(async () => {
      const wanted = partitions.filter(({ settings, isRetired }) => settings.tiered && !isRetired);
      const leaving = new Set(wanted.filter((partition) => this.#isLeaving(partition)));
      const leaders = wanted
        .filter((partition) => !leaving.has(partition))
        .map((partition) => this.viewOf(partition));
      await this.#manager.onLeadershipChange({ leaders });
      // A change of settings is felt at once, and not at the next turn of the tasks.
      for (const { topicIdPartition } of leaders) this.#manager.hurry(topicIdPartition);
      return [...leaving];
    });
    // Switched on again while the old data is being removed: that would take the new data, too.
    if (held.length > 0 && (await this.#pause())) await this.#takeOver(held);
  }

  #isLeaving(partition: Partition): boolean {
    const { topicIdPartition } = this.viewOf(partition);
    const state = this.#manager.metadata.partitionDeleteState(topicIdPartition);
    if (state === 'DELETE_PARTITION_MARKED' || state === 'DELETE_PARTITION_STARTED') return true;
    const key = keyOf(topicIdPartition);
    return this.#manager.pendingDeletions().some((pending) => keyOf(pending) === key);
  }

  /**
   * What only the remote tier has cannot be read any more, so the log begins behind it. A copy that
   * ends only now must not count, not even when the topic is tiered again by then: that works with a
   * view of its own.
   */
  #discard(partitions: readonly Partition[]): Promise<void> {
    for (const partition of partitions) {
      const { log } = partition;
      this.#views.get(partition)?.retire();
      this.#views.delete(partition);
      log.deleteRecordsBefore(Math.min(log.localLogStartOffset, log.highWatermark));
    }
    return this.#changes.run(async () => {
      await this.#context.checkpoint();
      const discarded = partitions
        .filter(({ settings }) => settings.discardsRemoteData)
        .map((partition) => this.viewOf(partition).topicIdPartition);
      await this.#manager.onStopPartitions(discarded, { deleteRemote: true });
    });
  }

  /** @returns false when closed meanwhile */
  #pause(): Promise<boolean> {
    const { signal } = this.#closing;
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        timer.cancel();
        resolve(false);
      };
      const timer = this.#context.clock.setTimer(DELETION_CHECK_MS, () => {
        signal.removeEventListener('abort', onAbort);
        resolve(true);
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #logFailure(message: string, change: Promise<void>): void {
    change.catch((error: unknown) => {
      if (isRemoteLogError(error, 'LOGLOFT_RLM_CLOSED')) return;
      this.#context.logger.error(message, { error });
    });
  }
}

function keyOf({ topicId, partition }: TopicIdPartition): string {
  return `${topicId} ${partition}`;
}
