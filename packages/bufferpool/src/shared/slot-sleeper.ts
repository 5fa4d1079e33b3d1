import type { Clock } from '@logloft/clock';
import { closedError } from '../refusals.ts';
import { BUSY, type LockGate } from './lock-gate.ts';
import type { SharedCore } from './shared-core.ts';
import { SLOT_STATE } from './ticket-queue.ts';

/** Puts its thread to sleep while a slot of the queue waits. */
export class SlotSleeper {
  readonly #core: SharedCore;
  readonly #gate: LockGate;
  readonly #clock: Clock;

  constructor(core: SharedCore, gate: LockGate, clock: Clock) {
    this.#core = core;
    this.#gate = gate;
    this.#clock = clock;
  }

  /**
   * The first page that the slot was served with, or `undefined` when `deadlineMs` on the monotonic
   * clock came first. The slot is vacant then.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_CLOSED`
   */
  sleepUntilServed(slot: number, deadlineMs: number): number | undefined {
    const { queue } = this.#core;
    for (;;) {
      const state = queue.stateOf(slot);
      if (state === SLOT_STATE.granted || state === SLOT_STATE.refused) {
        const first = queue.firstPageOf(slot);
        queue.vacate(slot);
        if (state === SLOT_STATE.refused) throw closedError();
        return first;
      }
      const remainingMs = deadlineMs - this.#clock.monotonic();
      if (remainingMs <= 0) return this.#cancel(slot);
      queue.sleep(slot, state, remainingMs);
    }
  }

  #cancel(slot: number): number | undefined {
    const cancel = (): number => this.#core.cancel(slot);
    const first = this.#gate.tryInside(cancel);
    if (first !== BUSY) return first >= 0 ? first : undefined;
    const owner = this.#core.queue.ownerOf(slot);
    const pages = this.#core.queue.pagesOf(slot);
    this.#gate.run(() => {
      const late = cancel();
      if (late >= 0) this.#core.give(owner, late, pages);
    });
    return undefined;
  }
}
