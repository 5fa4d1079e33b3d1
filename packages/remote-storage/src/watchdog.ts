import type { Clock, Timer } from '@logloft/clock';
import { RemoteStorageError } from './errors.ts';

/** What a {@link Watchdog} watches for. */
export interface WatchdogOptions {
  readonly clock: Clock;
  /** What is being done, for the message, for example `Writing the object`. */
  readonly action: string;
  /** Key of the object concerned. */
  readonly key?: string | undefined;
  /** Ms from now until everything must be over. Default: no such limit. */
  readonly deadlineMs?: number | undefined;
  /** Ms without {@link Watchdog.touch} that a run may take. Default: no such limit. */
  readonly idleMs?: number | undefined;
  /** Ms that a stopped operation gets to clean up before its run rejects. Default 0. */
  readonly graceMs?: number | undefined;
  /** Each of them stops everything with its own reason. */
  readonly signals?: readonly (AbortSignal | undefined)[] | undefined;
}

/**
 * Makes sure that something ends: by a deadline, by silence, or because somebody gave up. Whoever
 * runs under it gets {@link Watchdog.signal}; one that does not listen is left behind, and its run
 * rejects all the same.
 */
export class Watchdog {
  /** Aborts with the error of the time-out, or with the reason of the signal that stopped it. */
  readonly signal: AbortSignal;
  readonly #options: WatchdogOptions;
  readonly #controller = new AbortController();
  readonly #pending = new Set<(reason: unknown) => void>();
  readonly #unlink: (() => void)[] = [];
  readonly #deadline: Timer | undefined;
  #idle: Timer | undefined;
  #lastMs = 0;
  #pauses = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.signal = this.#controller.signal;
    for (const signal of options.signals ?? []) this.#link(signal);
    const { clock, deadlineMs } = options;
    if (deadlineMs !== undefined && !this.signal.aborted) {
      this.#deadline = clock.setTimer(deadlineMs, () =>
        this.#trip(this.#timeout(`did not end within ${deadlineMs} ms`)),
      );
    }
  }

  /** Says that bytes move. */
  touch(): void {
    this.#lastMs = this.#options.clock.monotonic();
  }

  /** Waits for something that is allowed to take its time, a quota for example; silence does not count. */
  async pausedFor<T>(wait: () => Promise<T>): Promise<T> {
    this.#pauses += 1;
    try {
      return await wait();
    } finally {
      this.#pauses -= 1;
      this.touch();
    }
  }

  /**
   * Runs an operation. Settles as it does, or rejects with the reason of {@link Watchdog.signal}.
   *
   * @param discard gets the result when it comes too late for anybody to want it
   */
  run<T>(
    operation: (signal: AbortSignal) => Promise<T>,
    discard?: (late: T) => unknown,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.signal.aborted) {
        reject(this.signal.reason);
        return;
      }
      this.#begin(reject);
      start(operation, this.signal).then(
        (value) => {
          this.#end(reject);
          if (!this.signal.aborted) return resolve(value);
          discardQuietly(discard, value);
          reject(this.signal.reason);
        },
        (error: unknown) => {
          this.#end(reject);
          reject(this.signal.aborted ? this.signal.reason : error);
        },
      );
    });
  }

  /** Forgets the deadline, when what had to be done by it is done; silence is watched further on. */
  liftDeadline(): void {
    this.#deadline?.cancel();
  }

  /** Stops watching. Whoever closes has ended all runs before. */
  close(): void {
    this.#deadline?.cancel();
    this.#idle?.cancel();
    for (const unlink of this.#unlink.splice(0)) unlink();
  }

  #begin(reject: (reason: unknown) => void): void {
    this.#pending.add(reject);
    if (this.#pending.size > 1) return;
    this.touch();
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#watchSilence(idleMs, idleMs);
  }

  #end(reject: (reason: unknown) => void): void {
    this.#pending.delete(reject);
    if (this.#pending.size === 0) this.#idle?.cancel();
  }

  #watchSilence(afterMs: number, idleMs: number): void {
    const { clock } = this.#options;
    this.#idle = clock.setTimer(afterMs, () => {
      const silentMs = this.#pauses > 0 ? 0 : clock.monotonic() - this.#lastMs;
      if (silentMs >= idleMs) this.#trip(this.#timeout(`moved no byte for ${idleMs} ms`));
      else this.#watchSilence(idleMs - silentMs, idleMs);
    });
  }

  #trip(reason: unknown): void {
    if (this.signal.aborted) return;
    this.close();
    this.#controller.abort(reason);
    const { clock, graceMs = 0 } = this.#options;
    const giveUp = (): void => {
      for (const reject of [...this.#pending]) {
        this.#pending.delete(reject);
        reject(reason);
      }
    };
    if (graceMs > 0 && this.#pending.size > 0) {
      this.#idle = clock.setTimer(graceMs, giveUp);
    } else giveUp();
  }

  #timeout(what: string): RemoteStorageError {
    const { action, key } = this.#options;
    return new RemoteStorageError(
      'timeout',
      `${action}${key === undefined ? '' : ` ${JSON.stringify(key)}`} ${what}`,
      { key },
    );
  }

  #link(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    if (signal.aborted) {
      this.#trip(signal.reason);
      return;
    }
    const onAbort = (): void => this.#trip(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#unlink.push(() => signal.removeEventListener('abort', onAbort));
  }
}

// A synchronous throw becomes a rejection.
async function start<T>(
  operation: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return await operation(signal);
}

function discardQuietly<T>(discard: ((late: T) => unknown) | undefined, value: T): void {
  void (async () => discard?.(value))().catch(() => undefined);
}
