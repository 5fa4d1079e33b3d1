import type { Clock, RandomSource } from '@logloft/clock';
import { randomBelow } from '@logloft/clock';
import type { CallOptions, RemoteStorageManager } from '@logloft/remote-storage';
import { linkedController } from '../../src/abort.ts';
import type {
  EventSubscription,
  MetadataEventLog,
  PartitionLogView,
  StoredEvent,
} from '../../src/index.ts';
import type { ModelLog } from '../support/model-log.ts';

/** The life of one process. What it has begun when it crashes neither goes on nor comes back. */
export class Life {
  readonly #crash = new AbortController();

  get over(): boolean {
    return this.#crash.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#crash.signal;
  }

  crash(): void {
    this.#crash.abort(new Error('crashed'));
  }

  /** What the process sees of a promise: nothing, once it has crashed. */
  async witness<T>(promise: Promise<T>): Promise<T> {
    try {
      const value = await promise;
      if (!this.over) return value;
    } catch (error) {
      if (!this.over) throw error;
    }
    return new Promise<never>(() => undefined);
  }
}

/** A store as one life sees it: its crash cuts what is under way. */
export function fencedStore(store: RemoteStorageManager, life: Life): RemoteStorageManager {
  const within = async <T>(
    options: CallOptions | undefined,
    call: (options: CallOptions) => Promise<T>,
  ): Promise<T> => {
    const { controller, unlink } = linkedController([options?.signal, life.signal]);
    try {
      return await life.witness(call({ ...options, signal: controller.signal }));
    } finally {
      unlink();
    }
  };
  return {
    capabilities: store.capabilities,
    copyLogSegmentData: (segment, data, options) =>
      within(options, (fenced) => store.copyLogSegmentData(segment, data, fenced)),
    fetchLogSegment: (segment, range, options) =>
      within(options, (fenced) => store.fetchLogSegment(segment, range, fenced)),
    fetchIndex: (segment, type, options) =>
      within(options, (fenced) => store.fetchIndex(segment, type, fenced)),
    deleteLogSegmentData: (segment, options) =>
      within(options, (fenced) => store.deleteLogSegmentData(segment, fenced)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** An event log that takes its time before and after an event is durable, so that a crash can come between. */
export class FencedEventLog implements MetadataEventLog {
  readonly #log: MetadataEventLog;
  readonly #life: Life;
  readonly #clock: Clock;
  readonly #random: RandomSource;
  /** Appends are stored in the order in which they were asked for. */
  #order: Promise<void> = Promise.resolve();

  constructor(log: MetadataEventLog, life: Life, clock: Clock, random: RandomSource) {
    this.#log = log;
    this.#life = life;
    this.#clock = clock;
    this.#random = random;
  }

  get partitionCount(): number {
    return this.#log.partitionCount;
  }

  append(partition: number, value: Uint8Array): Promise<number> {
    const stored = this.#order.then(async () => {
      await this.#pause();
      if (this.#life.over) return await new Promise<never>(() => undefined);
      return await this.#log.append(partition, value);
    });
    this.#order = stored.then(() => undefined);
    return this.#life.witness(stored.then((offset) => this.#pause().then(() => offset)));
  }

  subscribe(partition: number, onEvent: (event: StoredEvent) => void): EventSubscription {
    const subscription = this.#log.subscribe(partition, (event) => {
      if (!this.#life.over) onEvent(event);
    });
    return {
      caughtUp: this.#life.witness(subscription.caughtUp.then(() => this.#pause())),
      close: () => subscription.close(),
    };
  }

  #pause(): Promise<void> {
    if (randomBelow(this.#random, 4) > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#clock.setTimer(randomBelow(this.#random, 300), resolve);
    });
  }
}

/** A log as one life sees it. `onAdvance` is told of each move of the log start before it happens. */
export function fencedLog(
  log: ModelLog,
  life: Life,
  onAdvance: (offset: number) => void,
): PartitionLogView {
  return {
    topicIdPartition: log.topicIdPartition,
    get config() {
      return log.config;
    },
    get logStartOffset() {
      return log.logStartOffset;
    },
    get localLogStartOffset() {
      return log.localLogStartOffset;
    },
    get logEndOffset() {
      return log.logEndOffset;
    },
    get highWatermark() {
      return log.highWatermark;
    },
    get lastStableOffset() {
      return log.lastStableOffset;
    },
    get highestOffsetInRemoteStorage() {
      return log.highestOffsetInRemoteStorage;
    },
    get leaderEpochs() {
      return log.leaderEpochs;
    },
    segments: () => log.segments(),
    updateHighestOffsetInRemoteStorage: (offset) => {
      if (!life.over) log.updateHighestOffsetInRemoteStorage(offset);
    },
    advanceLogStartOffset: (offset) => {
      if (life.over) return new Promise<never>(() => undefined);
      onAdvance(offset);
      return log.advanceLogStartOffset(offset);
    },
  };
}
