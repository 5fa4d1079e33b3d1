/** What a waiter carries for its queue. */
export interface QueuedWaiter<W> {
  /** Position in the order of arrival. Set by the queue. */
  arrival: number;
  /** The one that arrived before it; itself once it has left. Set by the queue. */
  previous: W | undefined;
  /** The one that arrived after it. Set by the queue. */
  next: W | undefined;
}

/** Waiters in the order of their arrival: a doubly linked list through the waiters, so that each leaves in O(1). */
export class WaiterQueue<W extends QueuedWaiter<W>> {
  #head: W | undefined = undefined;
  #tail: W | undefined = undefined;
  #length = 0;
  #arrivals = 0;

  get head(): W | undefined {
    return this.#head;
  }

  get length(): number {
    return this.#length;
  }

  append(waiter: W): void {
    waiter.arrival = this.#arrivals;
    this.#arrivals += 1;
    waiter.previous = this.#tail;
    if (this.#tail === undefined) this.#head = waiter;
    else this.#tail.next = waiter;
    this.#tail = waiter;
    this.#length += 1;
  }

  /** Takes `waiter`, which must be in this queue, out of it. */
  remove(waiter: W): void {
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
