import type { Clock, Timer } from '@logloft/clock';
import type { PluginLogger, TopicIdPartition } from '@logloft/remote-storage';
import { RemoteLogError } from '../errors.ts';
import type { EventSubscription, MetadataEventLog, StoredEvent } from './event-log.ts';
import { MetadataCache } from './metadata-cache.ts';
import { partitionOf, type RemoteLogMetadataEvent } from './metadata-event.ts';
import { decodeMetadataEvent } from './serde.ts';

interface Waiter {
  readonly offset: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** What a {@link PartitionEvents} works with. */
export interface PartitionEventsContext {
  readonly log: MetadataEventLog;
  readonly clock: Clock;
  readonly logger: PluginLogger;
  /** Ms until an unreadable log is read again. */
  readonly retryIntervalMs: number;
  /** Called once everything that was stored is known, and again after each interruption. */
  onReady(): void;
}

/** The key of a partition in a map: by topic id, so that a re-created topic is another one. */
export function partitionKey(partition: TopicIdPartition): string {
  return `${partition.topicId}-${partition.partition}`;
}

/**
 * One partition of the metadata log, followed from its beginning, and the catalogues of all user
 * partitions in it. A log that cannot be read is read again from the beginning, into new catalogues, so
 * that nothing of it is known twice or half.
 */
export class PartitionEvents {
  readonly #partition: number;
  readonly #context: PartitionEventsContext;
  #caches = new Map<string, MetadataCache>();
  #waiters: Waiter[] = [];
  #subscription: EventSubscription | undefined;
  #retry: Timer | undefined;
  #lastOffset = -1;
  #ready = false;
  #closed = false;

  constructor(partition: number, context: PartitionEventsContext) {
    this.#partition = partition;
    this.#context = context;
  }

  /** Whether everything that was stored when the log was opened is known. */
  get ready(): boolean {
    return this.#ready;
  }

  /** All catalogues, also of partitions that nobody asked for. */
  get caches(): Iterable<MetadataCache> {
    return this.#caches.values();
  }

  start(): void {
    this.#retry = undefined;
    this.#ready = false;
    this.#lastOffset = -1;
    this.#caches = new Map();
    try {
      const subscription = this.#context.log.subscribe(this.#partition, (event) =>
        this.#onEvent(event),
      );
      this.#subscription = subscription;
      subscription.caughtUp.then(
        () => this.#onCaughtUp(subscription),
        (error: unknown) => this.#onFailure(subscription, error),
      );
    } catch (error) {
      this.#onFailure(undefined, error);
    }
  }

  /** The catalogue of a partition, empty when there is no event of it. */
  cacheOf(partition: TopicIdPartition): MetadataCache {
    const key = partitionKey(partition);
    let cache = this.#caches.get(key);
    if (cache === undefined) {
      cache = new MetadataCache();
      this.#caches.set(key, cache);
    }
    return cache;
  }

  /** Resolves when the event at `offset` is in its catalogue. Rejects when this is closed. */
  applied(offset: number): Promise<void> {
    if (offset <= this.#lastOffset) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ offset, resolve, reject });
    });
  }

  close(): void {
    this.#closed = true;
    this.#ready = false;
    this.#retry?.cancel();
    this.#subscription?.close();
    const error = new RemoteLogError('LOGLOFT_RLM_CLOSED', 'The remote log metadata is closed');
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  #onCaughtUp(subscription: EventSubscription): void {
    if (this.#closed || subscription !== this.#subscription) return;
    this.#ready = true;
    this.#context.onReady();
  }

  #onFailure(subscription: EventSubscription | undefined, error: unknown): void {
    if (this.#closed || subscription !== this.#subscription) return;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#context.logger.warn('The remote log metadata cannot be read, and is tried again', {
      partition: this.#partition,
      retryInMs: this.#context.retryIntervalMs,
      error,
    });
    this.#retry = this.#context.clock.setTimer(this.#context.retryIntervalMs, () => this.start());
  }

  #onEvent({ offset, value }: StoredEvent): void {
    // A log that delivers an event twice must not revive what is deleted.
    if (this.#closed || offset <= this.#lastOffset) return;
    this.#lastOffset = offset;
    try {
      this.#apply(decodeMetadataEvent(value), offset);
    } catch (error) {
      // One bad record must not cost the catalogue (KAFKA-15632).
      this.#context.logger.error('A record of the remote log metadata was skipped', {
        partition: this.#partition,
        offset,
        error,
      });
    }
    this.#wake();
  }

  #apply(event: RemoteLogMetadataEvent, offset: number): void {
    const topicIdPartition = partitionOf(event);
    const verdict = this.cacheOf(topicIdPartition).apply(event);
    if (verdict === 'applied' || verdict === 'duplicate') return;
    this.#context.logger.warn('An event of the remote log metadata has no effect', {
      partition: this.#partition,
      offset,
      topicIdPartition,
      verdict,
    });
  }

  #wake(): void {
    if (this.#waiters.length === 0) return;
    const due = this.#waiters.filter((waiter) => waiter.offset <= this.#lastOffset);
    this.#waiters = this.#waiters.filter((waiter) => waiter.offset > this.#lastOffset);
    for (const waiter of due) waiter.resolve();
  }
}
