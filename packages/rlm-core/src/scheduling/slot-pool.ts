import { RemoteLogError } from '../errors.ts';

/** The right to work, with a number in [0, size) that nobody else has meanwhile. */
export interface Slot {
  readonly index: number;
  /** Gives the slot back. Further calls have no effect. */
  release(): void;
}

/** Bounds of a {@link SlotPool}. */
export interface SlotPoolOptions {
  /** How many may work at once, >= 1. */
  readonly size: number;
  /** How many may wait for a slot; default without bound. */
  readonly maxWaiting?: number | undefined;
}

interface Waiter {
  grant(slot: Slot): void;
}

/** A fixed number of slots, handed out in the order of asking. It stands where Kafka has a pool of threads. */
export class SlotPool {
  readonly size: number;
  readonly #maxWaiting: number;
  /** Free slot numbers, the smallest last, so that few slots are used where few are needed. */
  readonly #free: number[];
  /** A set keeps order and lets a waiter leave in constant time. */
  readonly #waiters = new Set<Waiter>();

  constructor(options: SlotPoolOptions) {
    this.size = options.size;
    this.#maxWaiting = options.maxWaiting ?? Number.POSITIVE_INFINITY;
    this.#free = Array.from({ length: options.size }, (_, at) => options.size - 1 - at);
  }

  /** How many slots are in use. */
  get busy(): number {
    return this.size - this.#free.length;
  }

  /** How many wait for a slot. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Waits for a slot.
   *
   * @throws RemoteLogError `LOGLOFT_RLM_READER_QUEUE_FULL` when as many wait as may; the reason of
   *   `signal` when it aborts
   */
  async acquire(signal?: AbortSignal): Promise<Slot> {
    signal?.throwIfAborted();
    const index = this.#free.pop();
    if (index !== undefined) return this.#slot(index);
    if (this.#waiters.size >= this.#maxWaiting) {
      throw new RemoteLogError(
        'LOGLOFT_RLM_READER_QUEUE_FULL',
        `${this.busy} remote reads run and ${this.waiting} wait, which is all that may (remote.log.reader.threads, remote.log.reader.max.pending.tasks); try again`,
      );
    }
    return this.#wait(signal);
  }

  #wait(signal: AbortSignal | undefined): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        grant(slot): void {
          signal?.removeEventListener('abort', onAbort);
          resolve(slot);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #slot(index: number): Slot {
    let held = true;
    return {
      index,
      release: () => {
        if (!held) return;
        held = false;
        this.#handOn(index);
      },
    };
  }

  #handOn(index: number): void {
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      waiter.grant(this.#slot(index));
      return;
    }
    this.#free.push(index);
    this.#free.sort((a, b) => b - a);
  }
}
