import type { RandomSource } from '@logloft/clock';
import { LogStorageError } from '@logloft/log';
import { BrokerError } from '../errors.ts';
import type { BrokerLogger } from '../logger.ts';
import { randomUuid } from '../uuid.ts';
import type { ClusterEvent } from './cluster-event.ts';
import { ClusterState } from './cluster-state.ts';
import { FileJournal, type Journal, MemoryJournal } from './journal.ts';

/** Where and as whom the cluster state is kept. */
export interface ClusterStoreOptions {
  /** File of the journal; without it the state ends with the process. */
  readonly path?: string | undefined;
  readonly nodeId: number;
  /** Used when the cluster is new; default a random UUID. */
  readonly clusterId?: string | undefined;
}

/** The journal is rewritten once it is longer than this and than this many times what it holds. */
const REWRITE_FROM_BYTES = 1024 * 1024;
const REWRITE_FACTOR = 4;
/** Producer ids are taken in blocks, so that a restart skips at most this many (Kafka: 1,000). */
const PRODUCER_ID_BLOCK = 1000;

/** The durable state of the cluster: changed by events, each durable before it is answered. */
export class ClusterStore implements AsyncDisposable {
  readonly state: ClusterState;
  readonly #journal: Journal<ClusterEvent>;
  readonly #logger: BrokerLogger;
  #liveBytes = 0;
  #nextProducerId: number;

  private constructor(state: ClusterState, journal: Journal<ClusterEvent>, logger: BrokerLogger) {
    this.state = state;
    this.#journal = journal;
    this.#logger = logger;
    this.#nextProducerId = state.nextProducerId;
  }

  /**
   * Reads the state, gives a new cluster its id, and begins a new leader epoch.
   *
   * @throws BrokerError `LOGLOFT_BROKER_DATA_DIRECTORY` when the journal cannot be opened
   */
  static async open(
    options: ClusterStoreOptions,
    context: { readonly random: RandomSource; readonly logger: BrokerLogger },
  ): Promise<ClusterStore> {
    const { path, nodeId } = options;
    const state = new ClusterState();
    let journal: Journal<ClusterEvent> = new MemoryJournal<ClusterEvent>();
    if (path !== undefined) {
      const opened = await FileJournal.open<ClusterEvent>(path, context.logger);
      for (const event of opened.events) state.apply(event);
      journal = opened.journal;
    }
    const store = new ClusterStore(state, journal, context.logger);
    const clusterId = state.clusterId ?? options.clusterId ?? randomUuid(context.random);
    state.apply({ type: 'cluster', clusterId, nodeId });
    state.apply({ type: 'leader-epoch', epoch: state.leaderEpoch + 1 });
    await store.#rewrite();
    return store;
  }

  /** Id of the cluster. */
  get clusterId(): string {
    return this.state.clusterId ?? '';
  }

  /**
   * Makes an event durable, applies it, and resolves. When it rejects, nothing has changed.
   *
   * @throws LogStorageError when the file system refuses (a full disk); later calls may succeed
   * @throws BrokerError `LOGLOFT_BROKER_CLOSED` after `close`
   */
  async change(event: ClusterEvent): Promise<void> {
    try {
      await this.#journal.append(event, () => this.state.apply(event));
    } catch (error) {
      if (error instanceof BrokerError) throw error;
      throw new LogStorageError(
        `The state of the cluster could not be written, and stays as it was: ${(error as Error).message}`,
        { cause: error },
      );
    }
    const size = this.#journal.sizeInBytes;
    if (size <= REWRITE_FROM_BYTES || size <= REWRITE_FACTOR * this.#liveBytes) return;
    // The event is durable whatever comes of this; the journal only stays long, until a later change.
    await this.#rewrite().catch((error: unknown) => {
      this.#logger.warn('The journal of the cluster could not be shortened', { error });
    });
  }

  /** A producer id that was never handed out before, not by an earlier process either. At least 1. */
  async nextProducerId(): Promise<number> {
    const id = this.#nextProducerId;
    this.#nextProducerId += 1;
    if (id >= this.state.nextProducerId) {
      await this.change({ type: 'producer-ids', next: id + PRODUCER_ID_BLOCK });
    }
    return id;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #rewrite(): Promise<void> {
    await this.#journal.rewrite(() => this.state.toEvents());
    this.#liveBytes = this.#journal.sizeInBytes;
  }
}
