import { KeepAlive } from './keep-alive.ts';
import type { SharedLayout } from './shared-layout.ts';
import { SharedLock } from './shared-lock.ts';

/** What {@link LockGate.tryInside} answers when the lock could not be had. */
export const BUSY: unique symbol = Symbol('logloft.bufferpool.busy');

/** How long a thread sleeps for the lock before it goes on without, in ms. Usually it is microseconds. */
const PATIENCE_MS = 20;
/** After this time at the latest one looks whether waiting for the lock still makes sense. */
const RECHECK_MS = 20;

/**
 * Lets one thread at a time do something to the shared memory: at once as a rule, and by promise while
 * another thread stays inside, be it because the machine is busy or because it died there. The event
 * loop keeps running in that case, so that the death can be noticed and the memory reclaimed.
 */
export class LockGate {
  readonly alive: KeepAlive = new KeepAlive();
  readonly #lock: SharedLock;

  constructor(layout: SharedLayout, owner: number) {
    this.#lock = new SharedLock(layout.words, owner);
  }

  /** Does `action` inside the lock now, or answers {@link BUSY}. @throws what `action` throws */
  tryInside<T>(action: () => T, patienceMs: number = PATIENCE_MS): T | typeof BUSY {
    return this.#lock.tryEnter(patienceMs) ? this.#doInside(action) : BUSY;
  }

  /** Does `action` in place of `owner`, whose thread died inside; {@link BUSY} when it did not. */
  tryInsteadOf<T>(owner: number, action: () => T): T | typeof BUSY {
    return this.#lock.seize(owner) ? this.#doInside(action) : BUSY;
  }

  /** Does `action` inside the lock as soon as possible; {@link BUSY} once `isWorthIt` says no. */
  async inside<T>(action: () => T, isWorthIt: () => boolean): Promise<T | typeof BUSY> {
    this.alive.hold();
    try {
      for (;;) {
        const result = this.tryInside(action, 1);
        if (result !== BUSY || !isWorthIt()) return result;
        await this.#lock.changed(RECHECK_MS);
      }
    } finally {
      this.alive.release();
    }
  }

  /** Does `action` inside the lock, now or as soon as possible. It must not throw. */
  run(action: () => void): void {
    if (this.tryInside(action) === BUSY) void this.inside(action, always);
  }

  #doInside<T>(action: () => T): T {
    try {
      return action();
    } finally {
      this.#lock.leave();
    }
  }
}

/** For what has to be done, however long it takes. */
export function always(): boolean {
  return true;
}
