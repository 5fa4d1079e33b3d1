import type { ManualClock, Timer } from '@logloft/clock';

/** What `setTimeout` returns, as far as libraries use it. */
class VirtualTimer {
  timer: Timer | undefined;

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

/**
 * Puts a clock that is moved by hand in the place of the time of this process, for libraries that
 * know no other: `Date`, `performance.now`, `setTimeout` and `setInterval`. There is no way back.
 */
export function installVirtualTime(clock: ManualClock): void {
  const RealDate = Date;
  class VirtualDate extends RealDate {
    constructor(...parts: readonly unknown[]) {
      // The real one takes seven forms; whatever is given goes on to it.
      super(...((parts.length === 0 ? [clock.now()] : parts) as [number]));
    }

    static override now(): number {
      return clock.now();
    }
  }
  const set = (fire: () => void, ms: unknown, isRepeated: boolean): VirtualTimer => {
    const virtual = new VirtualTimer();
    // As in Node: whole ms, and never less than one.
    const delayMs = Math.max(1, Math.trunc(Number(ms) || 0));
    const arm = (): void => {
      virtual.timer = clock.setTimer(delayMs, () => {
        if (isRepeated) arm();
        fire();
      });
    };
    arm();
    return virtual;
  };
  const clear = (virtual: unknown): void => {
    if (virtual instanceof VirtualTimer) virtual.timer?.cancel();
  };
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: (fire: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      set(() => fire(...args), ms, false),
    setInterval: (fire: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      set(() => fire(...args), ms, true),
    clearTimeout: clear,
    clearInterval: clear,
  });
  performance.now = () => clock.monotonic();
}
