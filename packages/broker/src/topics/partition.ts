import type { PartitionLog } from '@logloft/log';
import { WatchList } from '../purgatory/watch-list.ts';

/** What of a topic's configuration decides about its requests. */
export interface TopicSettings {
  /** `max.message.bytes`: largest batch in bytes. */
  readonly maxMessageBytes: number;
  /** `min.insync.replicas`: more than 1 can never be met by one broker. */
  readonly minInsyncReplicas: number;
  /** `message.timestamp.before.max.ms`; infinite: not checked. */
  readonly timestampBeforeMaxMs: number;
  /** `message.timestamp.after.max.ms`; infinite: not checked. */
  readonly timestampAfterMaxMs: number;
  /** Whether its segments go to the remote tier (`remote.storage.enable`). */
  readonly tiered: boolean;
  /** Whether it is not, and what the remote tier still has of it is to go (`remote.log.delete.on.disable`). */
  readonly discardsRemoteData: boolean;
}

/** What a {@link Partition} is made of. */
export interface PartitionOptions {
  readonly topic: string;
  readonly topicId: string;
  readonly index: number;
  readonly log: PartitionLog;
  readonly leaderEpoch: number;
  readonly settings: TopicSettings;
}

/** One partition that this broker leads: its log, and who waits for it. */
export class Partition {
  readonly topic: string;
  readonly topicId: string;
  readonly index: number;
  readonly log: PartitionLog;
  /** Epoch under which this broker leads it. */
  readonly leaderEpoch: number;
  /** Woken when data becomes readable, the log start moves, or the partition goes. */
  readonly watchers: WatchList = new WatchList();
  settings: TopicSettings;
  readonly #unsubscribe: () => void;
  #isRetired = false;

  constructor(options: PartitionOptions) {
    this.topic = options.topic;
    this.topicId = options.topicId;
    this.index = options.index;
    this.log = options.log;
    this.leaderEpoch = options.leaderEpoch;
    this.settings = options.settings;
    this.#unsubscribe = this.log.subscribe(() => this.watchers.notify());
  }

  /** Whether its topic is gone, or the broker is being closed. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Wakes whoever waits, for the last time. */
  retire(): void {
    this.#isRetired = true;
    this.#unsubscribe();
    this.watchers.notify();
  }
}
