import type { S3Client } from '@aws-sdk/client-s3';
import {
  DEFAULT_RETRY_POLICY,
  type RemoteStorageError,
  type RetryOptions,
  type RetryPolicy,
  retry,
  Watchdog,
  withDeadline,
} from '@logloft/remote-storage';
import type { CallFacts } from './errors/call-facts.ts';
import { toS3Error } from './errors/s3-error.ts';
import { serviceFailure } from './errors/service-failure.ts';
import type { ResolvedS3Settings, S3ObjectStoreContext } from './s3-settings.ts';

/** How one call is to be made. */
export interface CallSettings<T> {
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the body that is sent; more time is given for more of them. */
  readonly bodyBytes?: number | undefined;
  /** Ms for the answer to be there, besides the time for the body. Default: the request time-out. */
  readonly deadlineMs?: number | undefined;
  /** Whether the call goes on when the store is closed: for clean-ups. Default false. */
  readonly outlivesClose?: boolean | undefined;
  /** Told when bytes move. */
  readonly onActivity?: (() => void) | undefined;
  /** Whether the answer is a stream, and not a document that is taken whole. Default false. */
  readonly isStream?: boolean | undefined;
  /** Gets an answer that comes too late, to free what it holds. */
  readonly discard?: ((late: T) => void) | undefined;
  /** Told of each attempt that failed and is tried again. */
  readonly onRetry?: ((failure: RemoteStorageError) => void) | undefined;
}

/** What the SDK's `send` is given; all but the signal is for our own request handler. */
export interface SendOptions {
  readonly abortSignal: AbortSignal;
  readonly onActivity?: (() => void) | undefined;
  readonly isStream?: boolean | undefined;
}

type Operation<T> = (options: SendOptions) => Promise<T>;

// A body that is slower than this is given up by its deadline, if nothing noticed before.
const SLOWEST_BYTES_PER_MS = 32;

const SKEW_CODE = 'RequestTimeTooSkewed';
const EXPIRED_CODES: readonly string[] = [
  'ExpiredToken',
  'ExpiredTokenException',
  'TokenRefreshRequired',
];

/**
 * Makes calls of the SDK that end in time, end with the store, fail in our words, and mend by themselves
 * what can be mended: a clock that is off, and credentials that have expired.
 */
export class S3Calls {
  /** How parts, pages and batches are tried again. */
  readonly retrying: Omit<RetryOptions, 'signal'> & { readonly policy: RetryPolicy };
  readonly #client: S3Client;
  readonly #settings: ResolvedS3Settings;
  readonly #context: S3ObjectStoreContext;
  readonly #closing: AbortSignal;

  constructor(
    client: S3Client,
    settings: ResolvedS3Settings,
    context: S3ObjectStoreContext & { readonly closing: AbortSignal },
  ) {
    const { clock, random } = context;
    this.#client = client;
    this.#settings = settings;
    this.#context = context;
    this.#closing = context.closing;
    this.retrying = { clock, random, policy: settings.retryPolicy ?? DEFAULT_RETRY_POLICY };
  }

  /**
   * One attempt.
   *
   * @throws RemoteStorageError by kind; the reason of the signal
   */
  async once<T>(facts: CallFacts, settings: CallSettings<T>, operation: Operation<T>): Promise<T> {
    const { signal, bodyBytes = 0, onActivity, discard, isStream } = settings;
    const { requestTimeoutMs, bucket } = this.#settings;
    const { clock } = this.#context;
    const watchdog = new Watchdog({
      clock,
      action: facts.action,
      key: facts.key,
      deadlineMs:
        (settings.deadlineMs ?? requestTimeoutMs) + Math.ceil(bodyBytes / SLOWEST_BYTES_PER_MS),
      signals: [signal, settings.outlivesClose ? undefined : this.#closing],
    });
    try {
      return await watchdog.run(
        (abortSignal) =>
          this.#mended(facts, () => operation({ abortSignal, onActivity, isStream })),
        discard,
      );
    } catch (error) {
      if (watchdog.signal.aborted && error === watchdog.signal.reason) throw error;
      throw toS3Error(error, facts, { bucket, nowMs: clock.now() });
    } finally {
      watchdog.close();
    }
  }

  /** As {@link once}, tried again by the policy of the store, within its time for a call. */
  async retried<T>(
    facts: CallFacts,
    settings: CallSettings<T>,
    operation: Operation<T>,
  ): Promise<T> {
    return await this.repeated(facts, settings, (signal) =>
      this.once(facts, { ...settings, signal }, operation),
    );
  }

  /** Tries an attempt of one's own again by the policy of the store, within its time for a call. */
  async repeated<T>(
    { action, key }: Pick<CallFacts, 'action' | 'key'>,
    { signal: outer, onRetry, discard }: Pick<CallSettings<T>, 'signal' | 'onRetry' | 'discard'>,
    attempt: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    const { callTimeoutMs } = this.#settings;
    const { clock, logger } = this.#context;
    const attempts = (signal: AbortSignal | undefined): Promise<T> =>
      retry(
        {
          ...this.retrying,
          signal,
          onRetry: (failure, tries, delayMs) => {
            onRetry?.(failure);
            logger.debug(`${action} failed, trying again`, { key, tries, delayMs, error: failure });
          },
        },
        () => attempt(signal),
      );
    if (callTimeoutMs === undefined) return await attempts(outer);
    const limits = { clock, ms: callTimeoutMs, action, key, signal: outer, discard };
    return await withDeadline(limits, attempts);
  }

  async #mended<T>(facts: CallFacts, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      const { code } = serviceFailure(error);
      if (code === SKEW_CODE) {
        // The SDK has taken over the time of the answer, and signs by it from now on.
        const { action } = facts;
        this.#context.logger.warn('The clock of this machine differs from that of the store', {
          action,
        });
        return await attempt();
      }
      if (!EXPIRED_CODES.includes(code)) throw error;
      await this.#client.config.credentials({ forceRefresh: true });
      return await attempt();
    }
  }
}
