import type { Waiter } from './waiter.ts';

/** Waiters in the order of their arrival: a doubly linked list through the waiters, so that each leaves in O(1). */
export class WaiterQueue {
  #head: Waiter | undefined = undefined;
  #tail: Waiter | undefined = undefined;
  #length = 0;
  #arrivals = 0;

  get head(): Waiter | undefined {
    return this.#head;
  }

  get length(): number {
    return this.#length;
  }

  append(waiter: Waiter): void {
    waiter.arrival = this.#arrivals;
    this.#arrivals += 1;
    waiter.previous = this.#tail;
    if (this.#tail === undefined) this.#head = waiter;
    else this.#tail.next = waiter;
    this.#tail = waiter;
    this.#length += 1;
  }

  /** Takes `waiter`, which must be in this queue, out of it. */
  remove(waiter: Waiter): void {
    const { previous, next } = waiter;
    if (previous === undefined) this.#head = next;
    else previous.next = next;
    if (next === undefined) this.#tail = previous;
    else next.previous = previous;
    waiter.previous = waiter;
    waiter.next = undefined;
    this.#length -= 1;
  }
}
