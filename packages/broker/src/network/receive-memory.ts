/** The part of a buffer pool that frames are received into. A buffer may be larger than asked for. */
export interface FramePool {
  /** Bytes in all. */
  readonly totalBytes: number;
  tryAllocate(size: number): Buffer | undefined;
  allocate(size: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<Buffer>;
  deallocate(buffer: Buffer): void;
}

/** A buffer that counts against the receive memory until it is released. */
export class FrameBuffer {
  readonly buffer: Buffer;
  readonly #giveBack: (buffer: Buffer) => void;
  #released = false;

  constructor(buffer: Buffer, giveBack: (buffer: Buffer) => void) {
    this.buffer = buffer;
    this.#giveBack = giveBack;
  }

  /** Gives the memory back. Later calls do nothing. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#giveBack(this.buffer);
  }
}

interface Grower {
  readonly size: number;
  readonly give: (buffer: FrameBuffer) => void;
}

/** The two shares of the receive memory. */
export interface ReceivePools {
  /** What every frame starts in. */
  readonly first: FramePool;
  /** What frames that turn out to be large go on in. */
  readonly large: FramePool;
}

/**
 * Memory for requests that are being received or handled, bounded by `queued.max.request.bytes`.
 *
 * A frame starts in a small buffer and moves to larger ones as it fills them, so that a length that
 * lies reserves little. Small buffers have a share of their own: clients that send large requests
 * slowly cannot keep others from sending small ones. Frames that hold a buffer while they wait for a
 * larger one could all wait for one another; therefore one frame at a time may grow outside the pool.
 * The bound in all is thus the pools' plus one `socket.request.max.bytes`, and somebody always makes
 * progress.
 */
export class ReceiveMemory {
  readonly #pools: ReceivePools;
  readonly #backToFirst: (buffer: Buffer) => void;
  readonly #backToLarge: (buffer: Buffer) => void;
  // In order of arrival; waits are rare and short, and a queue of them is as long as there are connections.
  readonly #growers = new Set<Grower>();
  /** The buffer outside the pools. */
  #overdraft: FrameBuffer | undefined;
  #waiting = 0;

  constructor(pools: ReceivePools) {
    this.#pools = pools;
    this.#backToFirst = (buffer) => pools.first.deallocate(buffer);
    this.#backToLarge = (buffer) => pools.large.deallocate(buffer);
  }

  /** Whether somebody waits for memory now. */
  get starved(): boolean {
    return this.#waiting > 0;
  }

  /** A first buffer of at least `size` bytes if there is one now and nobody waits for it. */
  tryTake(size: number): FrameBuffer | undefined {
    const buffer = this.#pools.first.tryAllocate(size);
    return buffer === undefined ? undefined : new FrameBuffer(buffer, this.#backToFirst);
  }

  /** Waits in order of arrival for a first buffer of at least `size` bytes. */
  async take(size: number, signal: AbortSignal): Promise<FrameBuffer> {
    this.#waiting += 1;
    try {
      return new FrameBuffer(await this.#pools.first.allocate(size, { signal }), this.#backToFirst);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** A larger buffer, for a frame that holds `present`, if there is one now. */
  tryGrow(size: number, present: FrameBuffer): FrameBuffer | undefined {
    const { large } = this.#pools;
    const buffer = size > large.totalBytes ? undefined : large.tryAllocate(size);
    if (buffer === undefined) return this.#tryOverdraw(size, present);
    return new FrameBuffer(buffer, this.#backToLarge);
  }

  /** Waits for a larger buffer, for a frame that holds one already. */
  grow(size: number, signal: AbortSignal): Promise<FrameBuffer> {
    const overdrawn = this.#tryOverdraw(size, undefined);
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
      const { large } = this.#pools;
      // Such a frame can only wait for its turn outside the pool.
      if (size > large.totalBytes) return;
      large.allocate(size, { signal: pooled.signal }).then(
        (buffer) => {
          if (settle()) resolve(new FrameBuffer(buffer, this.#backToLarge));
          else large.deallocate(buffer);
        },
        (error) => {
          if (settle()) reject(error);
        },
      );
    });
  }

  #passOverdraft(): void {
    const [next] = this.#growers;
    if (next === undefined) return;
    const granted = this.#tryOverdraw(next.size, undefined);
    if (granted !== undefined) next.give(granted);
  }

  /** The place outside the pools, when it is free; whoever has it may go on to a larger buffer there. */
  #tryOverdraw(size: number, present: FrameBuffer | undefined): FrameBuffer | undefined {
    if (this.#overdraft !== undefined && this.#overdraft !== present) return undefined;
    const overdraft = new FrameBuffer(Buffer.allocUnsafeSlow(size), () => {
      // A smaller one that was left for a larger one gives nothing up.
      if (this.#overdraft !== overdraft) return;
      this.#overdraft = undefined;
      this.#passOverdraft();
    });
    this.#overdraft = overdraft;
    return overdraft;
  }
}
