import type { Clock, Timer } from '@logloft/clock';

/** Something that waits until a deadline at the latest. */
export interface Expirable {
  onDeadline(): void;
}

/** A place in a {@link DeadlineQueue}. */
export interface Deadline {
  /** Forgets the deadline. Has no effect once it has passed. */
  cancel(): void;
}

class Slot {
  readonly number: number;
  readonly items = new Set<Expirable>();

  constructor(number: number) {
    this.number = number;
  }
}

/**
 * Deadlines of many waiters on one timer. They are kept in slots of `granularityMs`, a deadline
 * fires at the end of its slot (late by less than a slot, never early). Adding and cancelling cost
 * O(1) for a slot that exists; there are as many slots as the longest wait has, not as there are
 * waiters. No timer runs while nothing waits.
 */
export class DeadlineQueue {
  readonly #clock: Clock;
  readonly #granularityMs: number;
  readonly #slots = new Map<number, Slot>();
  // Numbers of the slots that exist, descending: the next one to fire is the last.
  readonly #order: number[] = [];
  #timer: Timer | undefined;
  #timerSlot = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, granularityMs = 10) {
    this.#clock = clock;
    this.#granularityMs = granularityMs;
  }

  /** Deadlines that have not passed. */
  get size(): number {
    let size = 0;
    for (const slot of this.#slots.values()) size += slot.items.size;
    return size;
  }

  /** Calls `item.onDeadline()` once, `ms` (>= 0) from now. */
  add(item: Expirable, ms: number): Deadline {
    const due = this.#clock.monotonic() + Math.max(0, ms);
    const slot = this.#slotOf(Math.ceil(due / this.#granularityMs));
    slot.items.add(item);
    this.#arm();
    return {
      cancel: () => {
        slot.items.delete(item);
        if (slot.items.size === 0) this.#drop(slot);
      },
    };
  }

  #slotOf(number: number): Slot {
    const existing = this.#slots.get(number);
    if (existing !== undefined) return existing;
    const slot = new Slot(number);
    this.#slots.set(number, slot);
    this.#order.splice(this.#positionOf(number), 0, number);
    return slot;
  }

  #drop(slot: Slot): void {
    if (this.#slots.get(slot.number) !== slot) return;
    this.#slots.delete(slot.number);
    this.#order.splice(this.#positionOf(slot.number), 1);
    if (slot.number === this.#timerSlot) this.#arm();
  }

  /** Index of the first number that is not greater, in descending order. */
  #positionOf(number: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle] ?? 0) > number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #arm(): void {
    const next = this.#order.at(-1) ?? Number.POSITIVE_INFINITY;
    if (next === this.#timerSlot) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerSlot = next;
    if (next === Number.POSITIVE_INFINITY) return;
    const ms = next * this.#granularityMs - this.#clock.monotonic();
    // Never 0, which means "this turn": a clock that is a little behind would be asked in a loop.
    this.#timer = this.#clock.setTimer(Math.max(1, ms), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerSlot = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    for (;;) {
      const number = this.#order.at(-1);
      if (number === undefined || number * this.#granularityMs > now) break;
      this.#order.pop();
      const slot = this.#slots.get(number);
      this.#slots.delete(number);
      for (const item of slot?.items ?? []) item.onDeadline();
    }
    this.#arm();
  }
}
