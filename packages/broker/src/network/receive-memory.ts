/** The part of a buffer pool that frames are received into. A buffer may be larger than asked for. */
export interface FramePool {
  tryAllocate(size: number): Buffer | undefined;
  allocate(size: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<Buffer>;
  deallocate(buffer: Buffer): void;
}

/** A buffer that counts against the receive memory until it is released. */
export class FrameBuffer {
  readonly buffer: Buffer;
  readonly #memory: ReceiveMemory;
  readonly #overdrawn: boolean;
  #released = false;

  constructor(memory: ReceiveMemory, buffer: Buffer, overdrawn: boolean) {
    this.#memory = memory;
    this.buffer = buffer;
    this.#overdrawn = overdrawn;
  }

  /** Gives the memory back. Later calls do nothing. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#memory.giveBack(this.buffer, this.#overdrawn);
  }
}

interface Grower {
  readonly size: number;
  readonly give: (buffer: FrameBuffer) => void;
}

/**
 * Memory for requests that are being received or handled, bounded by `queued.max.request.bytes`.
 *
 * A frame starts in a small buffer and moves to one of its full size once that is filled, so that a
 * length that lies reserves little. Frames that hold a small buffer while they wait for a large one
 * could all wait for one another; therefore one frame at a time may grow outside the pool. The bound
 * in all is thus the pool's plus one `socket.request.max.bytes`, and somebody always makes progress.
 */
export class ReceiveMemory {
  readonly #pool: FramePool;
  // In order of arrival; waits are rare and short, and a queue of them is as long as there are connections.
  readonly #growers = new Set<Grower>();
  #overdraftTaken = false;
  #waiting = 0;

  constructor(pool: FramePool) {
    this.#pool = pool;
  }

  /** Whether somebody waits for memory now. */
  get starved(): boolean {
    return this.#waiting > 0;
  }

  /** A buffer of at least `size` bytes if there is one now and nobody waits for it. */
  tryTake(size: number): FrameBuffer | undefined {
    const buffer = this.#pool.tryAllocate(size);
    return buffer === undefined ? undefined : new FrameBuffer(this, buffer, false);
  }

  /** Waits in order of arrival for a buffer of at least `size` bytes. */
  async take(size: number, signal: AbortSignal): Promise<FrameBuffer> {
    this.#waiting += 1;
    try {
      return new FrameBuffer(this, await this.#pool.allocate(size, { signal }), false);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Like {@link ReceiveMemory.tryTake}, for a frame that holds a smaller buffer already. */
  tryGrow(size: number): FrameBuffer | undefined {
    return this.tryTake(size) ?? this.#tryOverdraw(size);
  }

  /** Like {@link ReceiveMemory.take}, for a frame that holds a smaller buffer already. */
  grow(size: number, signal: AbortSignal): Promise<FrameBuffer> {
    const overdrawn = this.#tryOverdraw(size);
    if (overdrawn !== undefined) return Promise.resolve(overdrawn);
    signal.throwIfAborted();
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const pooled = new AbortController();
      let settled = false;
      const settle = (): boolean => {
        if (settled) return false;
        settled = true;
        this.#growers.delete(grower);
        this.#waiting -= 1;
        signal.removeEventListener('abort', onAbort);
        return true;
      };
      const onAbort = (): void => {
        if (!settle()) return;
        pooled.abort();
        reject(signal.reason);
      };
      const grower: Grower = {
        size,
        give: (buffer) => {
          settle();
          pooled.abort();
          resolve(buffer);
        },
      };
      this.#growers.add(grower);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#pool.allocate(size, { signal: pooled.signal }).then(
        (buffer) => {
          if (settle()) resolve(new FrameBuffer(this, buffer, false));
          else this.#pool.deallocate(buffer);
        },
        (error) => {
          if (settle()) reject(error);
        },
      );
    });
  }

  /** @internal */
  giveBack(buffer: Buffer, overdrawn: boolean): void {
    if (!overdrawn) {
      this.#pool.deallocate(buffer);
      return;
    }
    this.#overdraftTaken = false;
    const [next] = this.#growers;
    if (next === undefined) return;
    const granted = this.#tryOverdraw(next.size);
    if (granted !== undefined) next.give(granted);
  }

  #tryOverdraw(size: number): FrameBuffer | undefined {
    if (this.#overdraftTaken) return undefined;
    this.#overdraftTaken = true;
    return new FrameBuffer(this, Buffer.allocUnsafeSlow(size), true);
  }
}
