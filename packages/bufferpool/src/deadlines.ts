import type { Clock, Timer } from '@logloft/clock';

/** Below this many entries that have left, the heap is not worth rebuilding. */
const MIN_LEFT_TO_REBUILD = 64;

/** What a waiter tells about its deadline. */
export interface TimedWaiter {
  /** On the monotonic clock; `Infinity` when it waits for ever. Never changes. */
  readonly deadlineMs: number;
  /** Position in the order of arrival, which decides between equal deadlines. */
  readonly arrival: number;
  /** Whether it waits no more. */
  readonly hasLeft: boolean;
}

/**
 * The deadlines of all waiters of a pool behind one timer, and no timer while nobody waits with a
 * deadline. A binary heap by deadline, then arrival. A waiter that leaves is only counted; once most
 * entries have left, the heap is rebuilt, so leaving costs O(1) amortised.
 */
export class Deadlines<W extends TimedWaiter> {
  readonly #clock: Clock;
  readonly #expire: (waiter: W, nowMs: number) => void;
  #heap: W[] = [];
  #leftInHeap = 0;
  #timer: Timer | undefined = undefined;
  /** When {@link #timer} is due, `Infinity` without one. */
  #timerDueMs = Number.POSITIVE_INFINITY;
  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
    this.#expireDue(this.#clock.monotonic());
    this.#arm();
  };

  /** @param expire called once for each waiter whose deadline has come; must take it out and call `remove` */
  constructor(clock: Clock, expire: (waiter: W, nowMs: number) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  add(waiter: W): void {
    if (waiter.deadlineMs === Number.POSITIVE_INFINITY) return;
    this.#heap.push(waiter);
    siftUp(this.#heap, this.#heap.length - 1);
    if (waiter.deadlineMs < this.#timerDueMs) this.#arm();
  }

  /** Forgets a waiter that has just left, whichever way. */
  remove(waiter: W): void {
    if (waiter.deadlineMs === Number.POSITIVE_INFINITY) return;
    this.#leftInHeap += 1;
    const live = this.#heap.length - this.#leftInHeap;
    if (live === 0) this.#clear();
    else if (this.#leftInHeap > live && this.#leftInHeap >= MIN_LEFT_TO_REBUILD) {
      this.#rebuild();
    }
  }

  #clear(): void {
    this.#heap = [];
    this.#leftInHeap = 0;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
  }

  #rebuild(): void {
    this.#heap = this.#heap.filter((waiter) => !waiter.hasLeft);
    this.#leftInHeap = 0;
    for (let i = (this.#heap.length >>> 1) - 1; i >= 0; i -= 1) siftDown(this.#heap, i);
  }

  #expireDue(nowMs: number): void {
    for (;;) {
      const first = this.#firstLive();
      if (first === undefined || first.deadlineMs > nowMs) return;
      this.#expire(first, nowMs);
    }
  }

  #firstLive(): W | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || !first.hasLeft) return first;
      removeFirst(this.#heap);
      this.#leftInHeap -= 1;
    }
  }

  #arm(): void {
    const first = this.#firstLive();
    if (first === undefined || first.deadlineMs >= this.#timerDueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = first.deadlineMs;
    // Whole ms, at least one: what is left of a fraction must not turn into a run of empty timers.
    const delayMs = Math.max(1, Math.ceil(first.deadlineMs - this.#clock.monotonic()));
    this.#timer = this.#clock.setTimer(delayMs, this.#onTimer);
  }
}

function isBefore(a: TimedWaiter, b: TimedWaiter): boolean {
  return a.deadlineMs === b.deadlineMs ? a.arrival < b.arrival : a.deadlineMs < b.deadlineMs;
}

function siftUp(heap: TimedWaiter[], from: number): void {
  const waiter = heap[from];
  if (waiter === undefined) return;
  let at = from;
  while (at > 0) {
    const parentAt = (at - 1) >>> 1;
    const parent = heap[parentAt];
    if (parent === undefined || !isBefore(waiter, parent)) break;
    heap[at] = parent;
    at = parentAt;
  }
  heap[at] = waiter;
}

function siftDown(heap: TimedWaiter[], from: number): void {
  const waiter = heap[from];
  if (waiter === undefined) return;
  let at = from;
  for (;;) {
    const childAt = earlierChild(heap, at);
    const child = heap[childAt];
    if (child === undefined || !isBefore(child, waiter)) break;
    heap[at] = child;
    at = childAt;
  }
  heap[at] = waiter;
}

function earlierChild(heap: readonly TimedWaiter[], at: number): number {
  const leftAt = 2 * at + 1;
  const left = heap[leftAt];
  const right = heap[leftAt + 1];
  return left !== undefined && right !== undefined && isBefore(right, left) ? leftAt + 1 : leftAt;
}

function removeFirst(heap: TimedWaiter[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  siftDown(heap, 0);
}
