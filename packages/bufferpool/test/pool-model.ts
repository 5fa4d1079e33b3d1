/** An outcome as `grant 12` or `exhausted 12`: the kind, and the id of the allocation. */
export type ModelEvent = `${'grant' | 'exhausted' | 'aborted' | 'creation-failed'} ${number}`;

interface ModelWaiter {
  readonly id: number;
  readonly capacity: number;
  readonly deadlineMs: number;
  gathered: number;
}

/** What strict semantics say, in the plainest form: arrays, no timers, no promises. */
export class PoolModel {
  readonly #total: number;
  readonly #sizes: readonly number[];
  readonly #roundsUp: boolean;
  readonly #failsToCreate: () => boolean;
  readonly #free = new Map<number, number>();
  readonly granted = new Map<number, number>();
  waiters: ModelWaiter[] = [];
  unallocated: number;
  events: ModelEvent[] = [];

  /** @param failsToCreate asked once for each buffer that is made */
  constructor(total: number, sizes: readonly number[], failsToCreate: () => boolean) {
    this.#total = total;
    this.#sizes = sizes;
    this.#roundsUp = sizes.length > 1;
    this.#failsToCreate = failsToCreate;
    this.unallocated = total;
  }

  get available(): number {
    let sum = this.unallocated;
    for (const [size, count] of this.#free) sum += size * count;
    return sum;
  }

  get freeBuffers(): number {
    return [...this.#free.values()].reduce((sum, count) => sum + count, 0);
  }

  get held(): number {
    return this.waiters.reduce((sum, waiter) => sum + waiter.gathered, 0);
  }

  /** @returns whether memory is conserved */
  get isBalanced(): boolean {
    const out = [...this.granted.values()].reduce((sum, size) => sum + size, 0);
    return this.available + this.held + out === this.#total;
  }

  allocate(id: number, size: number, deadlineMs: number, nowMs: number): void {
    if (this.tryAllocate(id, size)) return;
    if (deadlineMs <= nowMs) {
      this.events.push(`exhausted ${id}`);
      this.#pump();
      return;
    }
    this.waiters.push({ id, capacity: this.#capacityFor(size), deadlineMs, gathered: 0 });
  }

  tryAllocate(id: number, size: number): boolean {
    const capacity = this.#capacityFor(size);
    if (this.waiters.length > 0) return false;
    if (this.#takeFree(capacity)) this.#grant(id, capacity);
    else if (this.available >= capacity) {
      this.#breakUp(capacity);
      this.unallocated -= capacity;
      this.#create(id, capacity);
    } else return false;
    return true;
  }

  release(id: number): void {
    const size = this.granted.get(id) ?? Number.NaN;
    this.granted.delete(id);
    if (this.#sizes.includes(size)) this.#free.set(size, (this.#free.get(size) ?? 0) + 1);
    else this.unallocated += size;
    this.#pump();
  }

  abort(id: number): void {
    const waiter = this.waiters.find((candidate) => candidate.id === id);
    if (waiter !== undefined) this.#fail(waiter, `aborted ${id}`);
  }

  moveTo(nowMs: number): void {
    for (;;) {
      const due = this.waiters.filter((waiter) => waiter.deadlineMs <= nowMs);
      // Array.prototype.sort is stable, so equal deadlines stay in the order of arrival.
      const first = due.sort((a, b) => a.deadlineMs - b.deadlineMs)[0];
      if (first === undefined) return;
      this.#fail(first, `exhausted ${first.id}`);
    }
  }

  #fail(waiter: ModelWaiter, event: ModelEvent): void {
    this.waiters = this.waiters.filter((other) => other !== waiter);
    this.unallocated += waiter.gathered;
    this.events.push(event);
    this.#pump();
  }

  #pump(): void {
    while (this.available > 0) {
      const head = this.waiters[0];
      if (head === undefined) return;
      if (head.gathered === 0 && this.#takeFree(head.capacity)) {
        this.waiters.shift();
        this.#grant(head.id, head.capacity);
        continue;
      }
      const missing = head.capacity - head.gathered;
      this.#breakUp(missing);
      const taken = Math.min(missing, this.unallocated);
      this.unallocated -= taken;
      head.gathered += taken;
      if (head.gathered < head.capacity) return;
      this.waiters.shift();
      this.#create(head.id, head.capacity);
    }
  }

  #create(id: number, capacity: number): void {
    if (this.#failsToCreate()) {
      this.unallocated += capacity;
      this.events.push(`creation-failed ${id}`);
      return;
    }
    this.#grant(id, capacity);
  }

  #grant(id: number, capacity: number): void {
    this.granted.set(id, capacity);
    this.events.push(`grant ${id}`);
  }

  #capacityFor(size: number): number {
    return this.#roundsUp ? (this.#sizes.find((pooled) => pooled >= size) ?? size) : size;
  }

  #takeFree(size: number): boolean {
    const count = this.#free.get(size) ?? 0;
    if (count === 0) return false;
    this.#free.set(size, count - 1);
    return true;
  }

  #breakUp(bytes: number): void {
    while (this.unallocated < bytes) {
      const missing = bytes - this.unallocated;
      const sizes = this.#sizes.filter((size) => (this.#free.get(size) ?? 0) > 0);
      const size = sizes.find((candidate) => candidate >= missing) ?? sizes.at(-1);
      if (size === undefined) return;
      this.#takeFree(size);
      this.unallocated += size;
    }
  }
}
