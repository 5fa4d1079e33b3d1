import type { Clock, Timer } from '@logloft/clock';
import type { PartitionLog } from '@logloft/log';
import type { EventSubscription, MetadataEventLog, StoredEvent } from '@logloft/rlm-core';
import { type InternalTopic, readLog } from '../internal-topics/internal-topic.ts';

/** Kafka's name of the topic with the catalogue of the remote tier. */
export const REMOTE_LOG_METADATA_TOPIC = '__remote_log_metadata';

/** Ms after which a failed reading of new events is tried again. */
const RETRY_MS = 1000;

/** The catalogue's events in the broker's own internal topic. */
export class TopicEventLog implements MetadataEventLog {
  readonly #topic: InternalTopic;
  readonly #clock: Clock;

  constructor(topic: InternalTopic, clock: Clock) {
    this.#topic = topic;
    this.#clock = clock;
  }

  get partitionCount(): number {
    return this.#topic.partitionCount;
  }

  append(partition: number, value: Uint8Array): Promise<number> {
    return this.#topic.append(partition, [{ key: null, value }]);
  }

  subscribe(partition: number, onEvent: (event: StoredEvent) => void): EventSubscription {
    const { log } = this.#topic.partition(partition);
    return new TopicSubscription(log, this.#clock, onEvent);
  }
}

class TopicSubscription implements EventSubscription {
  readonly caughtUp: Promise<void>;
  readonly #onEvent: (event: StoredEvent) => void;
  readonly #log: PartitionLog;
  readonly #clock: Clock;
  readonly #unsubscribe: () => void;
  #next: number;
  #reading: Promise<void> | undefined;
  #readAgain = false;
  #retry: Timer | undefined;
  #closed = false;

  constructor(log: PartitionLog, clock: Clock, onEvent: (event: StoredEvent) => void) {
    this.#log = log;
    this.#clock = clock;
    this.#onEvent = onEvent;
    this.#next = log.logStartOffset;
    this.#unsubscribe = log.subscribe(() => this.#poll());
    this.caughtUp = this.#read();
    // Whoever subscribes decides what a failed replay means; later reads are tried at each change.
    this.caughtUp.catch(() => undefined);
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    this.#retry?.cancel();
  }

  #poll(): void {
    if (this.#closed) return;
    if (this.#reading !== undefined) {
      this.#readAgain = true;
      return;
    }
    // An event that is not delivered holds up whoever waits for it: not until the next one comes.
    this.#read().catch(() => this.#pollLater());
  }

  #pollLater(): void {
    if (this.#closed) return;
    this.#retry?.cancel();
    this.#retry = this.#clock.setTimer(RETRY_MS, () => this.#poll());
  }

  #read(): Promise<void> {
    this.#reading = this.#readToEnd();
    return this.#reading;
  }

  async #readToEnd(): Promise<void> {
    try {
      do {
        this.#readAgain = false;
        for await (const { offset, value } of readLog(this.#log, this.#next)) {
          if (this.#closed) return;
          this.#next = offset + 1;
          if (value !== null) this.#onEvent({ offset, value });
        }
      } while (this.#readAgain && !this.#closed);
    } finally {
      // In the turn of the last look: an event between that and this would be nobody's to read.
      this.#reading = undefined;
    }
  }
}
