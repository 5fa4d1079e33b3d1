import { getEventListeners } from 'node:events';
import type { Chance } from './chance.ts';
import type { Findings } from './findings.ts';

const SHARED = 8;
const OWN = 64;

/** Every signal of a run aborts with this reason. */
export const ABORT_REASON: Error = new Error('aborted by the soak');

/** Signals that many waiters share, signals of one waiter's own, and whoever aborts them. */
export class AbortSources {
  readonly #chance: Chance;
  readonly #findings: Findings;
  readonly #shared: AbortController[] = Array.from({ length: SHARED }, () => new AbortController());
  readonly #own: AbortController[] = [];
  #aborted: AbortSignal[] = [];
  #abortedCount = 0;

  constructor(chance: Chance, findings: Findings) {
    this.#chance = chance;
    this.#findings = findings;
  }

  /** How many signals were aborted. */
  get abortedCount(): number {
    return this.#abortedCount;
  }

  /** A signal for a waiter, or none: half of them bring one. */
  signal(): AbortSignal | undefined {
    const choice = this.#chance.below(16);
    if (choice < 8) return undefined;
    if (choice < 14) return this.#shared[this.#chance.below(SHARED)]?.signal;
    const own = new AbortController();
    // One that is pushed out never aborts.
    if (this.#own.length < OWN) this.#own.push(own);
    else this.#own[this.#chance.below(OWN)] = own;
    return own.signal;
  }

  /** Aborts one signal; a shared one is followed by a new one. */
  abortOne(): void {
    let controller: AbortController | undefined;
    if (this.#chance.oneIn(8)) {
      const index = this.#chance.below(SHARED);
      controller = this.#shared[index];
      this.#shared[index] = new AbortController();
    } else controller = this.#chance.takeFrom(this.#own);
    if (controller === undefined) return;
    controller.abort(ABORT_REASON);
    this.#abortedCount += 1;
    this.#aborted.push(controller.signal);
  }

  /** After a turn of the event loop: nobody listens any more to what was aborted. */
  audit(): void {
    for (const signal of this.#aborted) {
      const listeners = listenersOf(signal);
      if (listeners > 0) {
        this.#findings.note('signals', `${listeners} listeners on a signal that was aborted`);
      }
    }
    this.#aborted = [];
  }

  /** Listeners on all signals that were not aborted. */
  get listeners(): number {
    const alive = [...this.#shared, ...this.#own];
    return alive.reduce((sum, { signal }) => sum + listenersOf(signal), 0);
  }
}

function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}
