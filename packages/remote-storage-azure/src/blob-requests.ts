import type { ContainerClient } from '@azure/storage-blob';
import type { Clock, RandomSource } from '@logloft/clock';
import {
  type PluginLogger,
  type RemoteStorageError,
  type RetryOptions,
  Watchdog,
} from '@logloft/remote-storage';
import { azureFailure } from './azure-failure.ts';
import type { ResolvedTuning } from './azure-settings.ts';
import type { BlobTransport } from './blob-transport.ts';

/** What a {@link BlobRequests} is made of. */
export interface BlobRequestsOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: PluginLogger;
  readonly container: ContainerClient;
  readonly tuning: ResolvedTuning;
  /** Where it is ours. */
  readonly transport: BlobTransport | undefined;
  /** Aborts when the store closes. */
  readonly closing: AbortSignal;
}

/** One request, for its time-out and its errors. */
export interface BlobCall {
  /** Words for messages, for example `Writing the object`. */
  readonly action: string;
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes that the request carries. Default 0. */
  readonly bodyBytes?: number | undefined;
  /** Told while the bytes move, where that can be seen. */
  readonly onMoved?: (() => void) | undefined;
}

// A request with a body gets the time that this rate would take, so that it ends even where nobody sees
// whether its bytes move.
const SLOWEST_BYTES_PER_MS = 16;

/** Sends requests through the SDK, so that each of them ends, and fails in this project's words. */
export class BlobRequests {
  readonly container: ContainerClient;
  readonly tuning: ResolvedTuning;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly #options: BlobRequestsOptions;

  constructor(options: BlobRequestsOptions) {
    this.container = options.container;
    this.tuning = options.tuning;
    this.clock = options.clock;
    this.random = options.random;
    this.#options = options;
  }

  /** How what passes is tried again; what is tried again is logged. */
  retrying(action: string, key?: string): Omit<RetryOptions, 'signal'> {
    const { clock, random, logger, tuning } = this.#options;
    return {
      clock,
      random,
      policy: tuning.retryPolicy,
      onRetry: (failure: RemoteStorageError, attempt: number, delayMs: number): void =>
        logger.debug(`${action} failed in part, trying again`, {
          key,
          attempt,
          delayMs,
          error: failure,
        }),
    };
  }

  /**
   * One request to its end.
   *
   * @throws the reason of the call's signal; RemoteStorageError for all else
   */
  async run<T>(call: BlobCall, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const watchdog = this.#watch(call);
    try {
      return await this.#guarded(call, watchdog, send);
    } finally {
      watchdog.close();
    }
  }

  /**
   * A request whose answer goes on after its head: it stays under the returned watchdog, without a
   * deadline from then on. Who reads the answer closes it.
   *
   * @param discard gets an answer that comes too late
   */
  async open<T>(
    call: BlobCall,
    send: (signal: AbortSignal) => Promise<T>,
    discard: (late: T) => unknown,
  ): Promise<{ readonly answer: T; readonly watchdog: Watchdog }> {
    const watchdog = this.#watch(call);
    try {
      const answer = await this.#guarded(call, watchdog, send, discard);
      watchdog.liftDeadline();
      return { answer, watchdog };
    } catch (error) {
      watchdog.close();
      throw error;
    }
  }

  /** What was thrown, in this project's words. */
  failure(thrown: unknown, call: BlobCall): RemoteStorageError {
    const { clock, container } = this.#options;
    const { action, key } = call;
    return azureFailure(thrown, { action, key, clock, container: container.containerName });
  }

  #watch({ action, key, signal, bodyBytes = 0 }: BlobCall): Watchdog {
    const { clock, closing, tuning } = this.#options;
    const deadlineMs = tuning.requestTimeoutMs + Math.ceil(bodyBytes / SLOWEST_BYTES_PER_MS);
    return new Watchdog({ clock, action, key, deadlineMs, signals: [signal, closing] });
  }

  async #guarded<T>(
    call: BlobCall,
    watchdog: Watchdog,
    send: (signal: AbortSignal) => Promise<T>,
    discard?: (late: T) => unknown,
  ): Promise<T> {
    const { onMoved } = call;
    if (onMoved !== undefined) this.#options.transport?.watch(watchdog.signal, onMoved);
    try {
      return await watchdog.run(send, discard);
    } catch (error) {
      if (watchdog.signal.aborted && error === watchdog.signal.reason) throw error;
      throw this.failure(error, call);
    }
  }
}
