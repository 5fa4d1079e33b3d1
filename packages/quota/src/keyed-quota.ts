import type { ByteLimit } from './byte-limit.ts';
import { QuotaClosedError, TooManyQuotaKeysError } from './errors.ts';
import { integerFrom } from './options.ts';
import type { HoldOptions, WindowedQuota } from './windowed-quota.ts';

/** How a {@link KeyedQuota} is made. */
export interface KeyedQuotaOptions extends HoldOptions {
  /** What all keys together are held to. */
  readonly parent: WindowedQuota;
  /** Bytes per second that each key may have. Default: unlimited, so that they only share fairly. */
  readonly limit?: ByteLimit | number | undefined;
  /** Samples of each key's window. Default: as the parent. */
  readonly samples?: number | undefined;
  /** Seconds that one sample covers. Default: as the parent. */
  readonly windowSeconds?: number | undefined;
  /** How many callers may wait for one key at most. Default 10,000. */
  readonly maxWaiters?: number | undefined;
  /** How many keys may be in use at a time, an integer from 1. Default 10,000. */
  readonly maxKeys?: number | undefined;
}

/**
 * A quota for each key (a client, a tenant, a topic) under one total. Keys that have been idle for
 * as long as their window, and so have nothing to remember, are dropped as others are asked for.
 */
export class KeyedQuota implements AsyncDisposable {
  readonly #options: KeyedQuotaOptions;
  readonly #maxKeys: number;
  /** In the order in which they were last asked for. */
  readonly #quotas = new Map<string, WindowedQuota>();
  #limit: ByteLimit | number | undefined;
  #isClosed = false;

  /** @throws InvalidQuotaOptionError when `maxKeys` is out of range */
  constructor(options: KeyedQuotaOptions) {
    this.#options = options;
    this.#limit = options.limit;
    this.#maxKeys = integerFrom(1, 'maxKeys', options.maxKeys ?? 10_000);
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#quotas.size;
  }

  /**
   * The quota of `key`. Ask for it each time: one that is kept may have been dropped, and is closed.
   *
   * @throws TooManyQuotaKeysError when as many keys are in use as may be
   * @throws QuotaClosedError after `close`, or when the parent is closed
   */
  forKey(key: string): WindowedQuota {
    if (this.#isClosed) throw new QuotaClosedError();
    const known = this.#quotas.get(key);
    const quota = known ?? this.#make();
    if (known !== undefined) this.#quotas.delete(key);
    this.#quotas.set(key, quota);
    return quota;
  }

  /** Changes the limit of each key at once. */
  updateLimit(limit: ByteLimit | number): void {
    this.#limit = limit;
    for (const quota of this.#quotas.values()) quota.updateLimit(limit);
  }

  /** Rejects those who wait for a key. The parent stays open. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const quotas = [...this.#quotas.values()];
    this.#quotas.clear();
    await Promise.all(quotas.map((quota) => quota.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #make(): WindowedQuota {
    // Two are looked at for each that is made, so that those in use never pile up unseen.
    this.#dropIdle(2);
    if (this.#quotas.size >= this.#maxKeys) this.#dropIdle(this.#quotas.size);
    if (this.#quotas.size >= this.#maxKeys) throw new TooManyQuotaKeysError(this.#maxKeys);
    const { parent, samples, windowSeconds, maxWaiters, maxHoldMs, onHoldExpired } = this.#options;
    return parent.child({
      limit: this.#limit,
      samples,
      windowSeconds,
      maxWaiters,
      ...(maxHoldMs === undefined ? {} : { maxHoldMs }),
      ...(onHoldExpired === undefined ? {} : { onHoldExpired }),
    });
  }

  /** Drops the idle ones among the `count` that were asked for longest ago. */
  #dropIdle(count: number): void {
    let left = count;
    for (const [key, quota] of this.#quotas) {
      if (left === 0) return;
      left -= 1;
      if (!quota.isIdle) continue;
      this.#quotas.delete(key);
      void quota.close();
    }
  }
}
