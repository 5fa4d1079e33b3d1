import type { EventSubscription, MetadataEventLog, StoredEvent } from './event-log.ts';

interface LogPartition {
  readonly events: StoredEvent[];
  readonly listeners: Set<(event: StoredEvent) => void>;
}

/** An event log that ends with its process: for tests, and for brokers whose log is in memory, too. */
export class InMemoryEventLog implements MetadataEventLog {
  readonly #partitions: readonly LogPartition[];

  /** @param partitionCount default 50, as Kafka's topic has */
  constructor(partitionCount = 50) {
    this.#partitions = Array.from({ length: partitionCount }, () => ({
      events: [],
      listeners: new Set(),
    }));
  }

  get partitionCount(): number {
    return this.#partitions.length;
  }

  append(partition: number, value: Uint8Array): Promise<number> {
    const { events, listeners } = this.#partition(partition);
    const event = { offset: events.length, value: value.slice() };
    events.push(event);
    for (const listener of listeners) listener(event);
    return Promise.resolve(event.offset);
  }

  subscribe(partition: number, onEvent: (event: StoredEvent) => void): EventSubscription {
    const { events, listeners } = this.#partition(partition);
    for (const event of events) onEvent(event);
    // A function of its own, so that two subscriptions of one listener stay two.
    const deliver = (event: StoredEvent): void => onEvent(event);
    listeners.add(deliver);
    return { caughtUp: Promise.resolve(), close: () => void listeners.delete(deliver) };
  }

  /** All events of a partition, oldest first. */
  events(partition: number): readonly StoredEvent[] {
    return this.#partition(partition).events;
  }

  #partition(partition: number): LogPartition {
    const found = this.#partitions[partition];
    if (found === undefined) {
      throw new RangeError(`A partition in [0, ${this.partitionCount}) expected, got ${partition}`);
    }
    return found;
  }
}
