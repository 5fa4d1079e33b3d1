import type { Deadline, DeadlineQueue } from './deadline-queue.ts';
import type { WatchList } from './watch-list.ts';

/** What a request waits for. */
export interface ParkOptions {
  /** Longest wait in ms. */
  readonly maxWaitMs: number;
  /** Events of any of these make {@link ParkOptions.isSatisfied} be asked again. */
  readonly watched: readonly WatchList[];
  /** Whether the request can be answered now. */
  readonly isSatisfied: () => boolean;
  /** The client's connection; when it goes the wait ends. */
  readonly gone: AbortSignal;
}

/** Why a wait ended. */
export type WaitOutcome = 'satisfied' | 'timed-out' | 'client-gone';

/**
 * Waits until a request can be answered, its time is over, or its client is gone. Leaves nothing
 * behind: no deadline, no watcher, no listener.
 */
export function park(deadlines: DeadlineQueue, options: ParkOptions): Promise<WaitOutcome> {
  if (options.gone.aborted) return Promise.resolve('client-gone');
  return new Promise((resolve) => new ParkedRequest(deadlines, options, resolve).start());
}

class ParkedRequest {
  readonly #options: ParkOptions;
  readonly #resolve: (outcome: WaitOutcome) => void;
  readonly #deadlines: DeadlineQueue;
  #deadline: Deadline | undefined;
  #done = false;

  constructor(
    deadlines: DeadlineQueue,
    options: ParkOptions,
    resolve: (outcome: WaitOutcome) => void,
  ) {
    this.#deadlines = deadlines;
    this.#options = options;
    this.#resolve = resolve;
  }

  start(): void {
    this.#deadline = this.#deadlines.add(this, this.#options.maxWaitMs);
    for (const list of this.#options.watched) list.add(this);
    this.#options.gone.addEventListener('abort', this.#onGone, { once: true });
  }

  onEvent(): void {
    if (!this.#done && this.#isSatisfied()) this.#finish('satisfied');
  }

  #isSatisfied(): boolean {
    try {
      return this.#options.isSatisfied();
    } catch {
      // Nobody could catch it here. Answering the request meets it again, and costs one connection.
      return true;
    }
  }

  onDeadline(): void {
    this.#finish('timed-out');
  }

  readonly #onGone = (): void => this.#finish('client-gone');

  #finish(outcome: WaitOutcome): void {
    if (this.#done) return;
    this.#done = true;
    this.#deadline?.cancel();
    for (const list of this.#options.watched) list.remove(this);
    this.#options.gone.removeEventListener('abort', this.#onGone);
    this.#resolve(outcome);
  }
}
