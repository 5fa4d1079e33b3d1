import type { Clock, RandomSource } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import type { ByteRange } from './byte-range.ts';
import type { CallOptions, Pacer } from './call-options.ts';
import type { ObjectStoreCapabilities } from './capabilities.ts';
import { withDeadline } from './deadline.ts';
import { RemoteStorageError } from './errors.ts';
import { guardStream } from './guard-stream.ts';
import { HighWaterProgress } from './high-water-progress.ts';
import type { SegmentSource } from './log-segment-data.ts';
import type {
  ListOptions,
  ObjectHead,
  ObjectStore,
  PutOptions,
  RemoveUnfinishedOptions,
} from './object-store.ts';
import { patientPacer } from './patient-pacer.ts';
import type { PluginLogger } from './plugin.ts';
import { type RetryPolicy, retry } from './retry.ts';
import { toRemoteStorageError } from './to-remote-storage-error.ts';
import { Watchdog } from './watchdog.ts';
import { watchedSource } from './watched-source.ts';

// What a stopped `put` gets to take away what it began, before its caller goes on without it.
const PUT_GRACE_MS = 1_000;

// The time for a request is that of so many keys: more of them may take longer.
const KEYS_AT_A_TIME = 1_000;

// A store has things to clean up; whoever closes it does not wait for ever.
const CLOSE_MS = 30_000;

/** What {@link GuardedObjectStore} needs. */
export interface GuardedObjectStoreContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: PluginLogger;
  /** Where the layout on top tells what its reads did. Default: nowhere. */
  readonly metrics?: MetricsRegistry | undefined;
}

/** How patient a {@link GuardedObjectStore} is. */
export interface GuardedObjectStoreOptions {
  /** Ms for `head`, `delete` and the first answer of `get`, an attempt. Default 10,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Ms without a byte for `put`, and for the pieces of `get` and `list`. Default 30,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Default: {@link DEFAULT_RETRY_POLICY}. */
  readonly retryPolicy?: RetryPolicy | undefined;
}

/**
 * Any object store, with the promises that its author need not keep alone: everything settles, by
 * deadline or idle time-out; failures that pass are tried again; whatever is thrown is a
 * `RemoteStorageError`; a store that does not pace gets its bytes admitted an object at a time.
 */
export class GuardedObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  /** There when the store has it. */
  readonly serverTime?: NonNullable<ObjectStore['serverTime']>;
  readonly #store: ObjectStore;
  readonly #context: GuardedObjectStoreContext;
  readonly #requestTimeoutMs: number;
  readonly #idleTimeoutMs: number;
  readonly #retryPolicy: RetryPolicy | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /** @param store belongs to this from now on, and is disposed of with it */
  constructor(
    store: ObjectStore,
    context: GuardedObjectStoreContext,
    options: GuardedObjectStoreOptions = {},
  ) {
    this.capabilities = store.capabilities;
    this.#store = store;
    this.#context = context;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? 10_000;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? 30_000;
    this.#retryPolicy = options.retryPolicy;
    const serverTime = store.serverTime?.bind(store);
    if (serverTime !== undefined) {
      this.serverTime = (call = {}) =>
        this.#request('Asking for the time', undefined, call, (signal) =>
          serverTime({ ...call, signal }),
        );
    }
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const action = 'Writing the object';
    const progress = new HighWaterProgress(options.onProgress);
    await this.#attempts({ action, key, signal: options.signal }, async (signals) => {
      const watchdog = new Watchdog({
        clock: this.#context.clock,
        action,
        key,
        signals,
        idleMs: this.#idleTimeoutMs,
        graceMs: PUT_GRACE_MS,
      });
      progress.restart();
      try {
        await watchdog.run(async (signal) => {
          const pacer = await this.#admit(source.size, options.pacer, watchdog);
          await this.#store.put(key, watchedSource(source, watchdog), {
            ...options,
            signal,
            pacer,
            onProgress: (bytes) => {
              watchdog.touch();
              progress.add(bytes);
              // Nothing is done yet, but it is alive: whoever called watches for silence, too.
              if (bytes === 0) options.onProgress?.(0);
            },
          });
        });
      } finally {
        watchdog.close();
      }
    });
    if (!source.sizeIsBound) progress.reach(source.size);
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const action = 'Reading the object';
    return await this.#attempts({ action, key, signal: options.signal }, async (signals) => {
      const watchdog = this.#watchdog(action, key, signals);
      const pacer = options.pacer && patientPacer(options.pacer, watchdog);
      try {
        const pieces = await watchdog.run(
          (signal) => this.#store.get(key, range, { ...options, signal, pacer }),
          dropStream,
        );
        // From here on the reader sets the pace, and only silence counts.
        watchdog.liftDeadline();
        return guardStream(pieces, watchdog, (thrown) =>
          toRemoteStorageError(thrown, { action, key }),
        );
      } catch (error) {
        watchdog.close();
        throw error;
      }
    });
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    return await this.#request('Looking up the object', key, options, (signal) =>
      this.#store.head(key, { ...options, signal }),
    );
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    let failure: { readonly reason: unknown } | undefined;
    for (let at = 0; at < keys.length; at += KEYS_AT_A_TIME) {
      const some = keys.slice(at, at + KEYS_AT_A_TIME);
      try {
        await this.#request('Deleting the object', some[0], options, (signal) =>
          this.#store.delete(some, { ...options, signal }),
        );
      } catch (error) {
        if (options.signal?.aborted || this.#closing.signal.aborted) throw error;
        failure ??= { reason: error };
      }
    }
    if (failure !== undefined) throw failure.reason;
  }

  list(options: ListOptions = {}): AsyncIterable<ObjectHead> {
    const action = 'Listing objects';
    const watchdog = new Watchdog({
      clock: this.#context.clock,
      action,
      idleMs: this.#idleTimeoutMs,
      signals: [options.signal, this.#closing.signal],
    });
    const failure = (thrown: unknown): unknown => toRemoteStorageError(thrown, { action });
    try {
      const heads = this.#store.list({ ...options, signal: watchdog.signal });
      return guardStream(heads, watchdog, failure);
    } catch (error) {
      watchdog.close();
      throw failure(error);
    }
  }

  /** 0 for a store that leaves nothing unfinished. */
  async removeUnfinished(options: RemoveUnfinishedOptions): Promise<number> {
    const action = 'Removing unfinished uploads';
    return await this.#attempts(
      { action, key: undefined, signal: options.signal },
      async (signals) => {
        const watchdog = new Watchdog({
          clock: this.#context.clock,
          action,
          signals,
          idleMs: this.#idleTimeoutMs,
        });
        try {
          return await watchdog.run(async (signal) => {
            const onProgress = (): void => watchdog.touch();
            return (await this.#store.removeUnfinished?.({ ...options, signal, onProgress })) ?? 0;
          });
        } finally {
          watchdog.close();
        }
      },
    );
  }

  /**
   * Ends everything that is under way, then disposes of the store.
   *
   * @throws RemoteStorageError what that fails with; `timeout` when it takes more than 30 s
   */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const { name } = this.capabilities;
    this.#closing.abort(
      new RemoteStorageError('aborted', `Remote storage "${name}" is closed; open it anew`),
    );
    const action = `Closing remote storage "${name}"`;
    const { clock } = this.#context;
    try {
      await withDeadline({ clock, ms: CLOSE_MS, action }, async () => {
        await this.#store[Symbol.asyncDispose]();
      });
    } catch (error) {
      throw toRemoteStorageError(error, { action });
    }
  }

  async #request<T>(
    action: string,
    key: string | undefined,
    options: CallOptions,
    operation: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return await this.#attempts({ action, key, signal: options.signal }, async (signals) => {
      const watchdog = this.#watchdog(action, key, signals);
      try {
        return await watchdog.run(operation);
      } finally {
        watchdog.close();
      }
    });
  }

  #watchdog(
    action: string,
    key: string | undefined,
    signals: readonly (AbortSignal | undefined)[],
  ): Watchdog {
    return new Watchdog({
      clock: this.#context.clock,
      action,
      key,
      signals,
      deadlineMs: this.#requestTimeoutMs,
      idleMs: this.#idleTimeoutMs,
    });
  }

  async #attempts<T>(
    call: {
      readonly action: string;
      readonly key: string | undefined;
      readonly signal: AbortSignal | undefined;
    },
    attempt: (signals: readonly (AbortSignal | undefined)[]) => Promise<T>,
  ): Promise<T> {
    const { action, key, signal } = call;
    const { clock, random, logger } = this.#context;
    const closing = this.#closing.signal;
    const policy = this.#retryPolicy;
    const onRetry = (failure: RemoteStorageError, tries: number, delayMs: number): void =>
      logger.warn(`${action} failed, trying again`, { key, tries, delayMs, error: failure });
    const stopped = new Watchdog({ clock, action, signals: [signal, closing] });
    try {
      return await retry({ clock, random, policy, signal: stopped.signal, onRetry }, async () => {
        stopped.signal.throwIfAborted();
        return await attempt([signal, closing]).catch((error: unknown) => {
          if (stopped.signal.aborted && error === stopped.signal.reason) throw error;
          throw toRemoteStorageError(error, { action, key });
        });
      });
    } finally {
      stopped.close();
    }
  }

  // A store that paces gets the pacer; for all others the whole object is admitted at once.
  async #admit(
    bytes: number,
    pacer: Pacer | undefined,
    watchdog: Watchdog,
  ): Promise<Pacer | undefined> {
    if (pacer === undefined) return undefined;
    const patient = patientPacer(pacer, watchdog);
    if (this.capabilities.paced) return patient;
    if (bytes > 0) await patient.take(bytes, { signal: watchdog.signal });
    return undefined;
  }
}

async function dropStream(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await pieces[Symbol.asyncIterator]().return?.();
}
