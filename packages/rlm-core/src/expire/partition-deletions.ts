import type { TopicIdPartition } from '@logloft/remote-storage';
import { partitionKey } from '../metadata/partition-events.ts';
import type { SlotPool } from '../scheduling/slot-pool.ts';
import type { TieringContext } from '../tiering-context.ts';
import { PartitionDeletion } from './partition-deletion.ts';

/** The partitions that are being removed from the remote tier. */
export class PartitionDeletions {
  readonly #context: TieringContext;
  readonly #workers: SlotPool;
  readonly #running = new Map<
    string,
    { partition: TopicIdPartition; deletion: PartitionDeletion }
  >();
  #closed = false;

  constructor(context: TieringContext, workers: SlotPool) {
    this.#context = context;
    this.#workers = workers;
  }

  get pending(): readonly TopicIdPartition[] {
    return [...this.#running.values()].map(({ partition }) => partition);
  }

  /**
   * Resolves when the intent is durable; the rest happens in the background. Nothing is intended for a
   * partition of which there is nothing, or nothing any more.
   */
  async begin(partition: TopicIdPartition, signal?: AbortSignal): Promise<void> {
    if (this.#running.has(partitionKey(partition))) return;
    const { metadata } = this.#context;
    await metadata.whenReady(partition, { signal });
    if (metadata.listRemoteLogSegments(partition).length === 0) return;
    const deletion = this.#make(partition);
    const state = metadata.partitionDeleteState(partition);
    const isIntended = state !== undefined && state !== 'DELETE_PARTITION_FINISHED';
    if (!isIntended) await deletion.mark(signal);
    this.#start(partition, deletion);
  }

  /** Goes on with what this broker intended in an earlier life, as far as the catalogue is read. */
  resume(): void {
    for (const {
      topicIdPartition,
      brokerId,
    } of this.#context.metadata.pendingPartitionDeletions()) {
      if (brokerId !== this.#context.brokerId) continue;
      if (this.#running.has(partitionKey(topicIdPartition))) continue;
      this.#start(topicIdPartition, this.#make(topicIdPartition));
    }
  }

  async close(reason: unknown): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running.values()].map(({ deletion }) => deletion.stop(reason)));
    this.#running.clear();
  }

  #make(partition: TopicIdPartition): PartitionDeletion {
    return new PartitionDeletion({
      context: this.#context,
      partition,
      workers: this.#workers,
      onDone: () => {
        this.#running.delete(partitionKey(partition));
        this.#context.metadata.unassign([partition]);
      },
    });
  }

  #start(partition: TopicIdPartition, deletion: PartitionDeletion): void {
    if (this.#closed || this.#running.has(partitionKey(partition))) return;
    this.#running.set(partitionKey(partition), { partition, deletion });
    deletion.start();
  }
}
