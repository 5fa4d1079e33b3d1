/** The part of a buffer pool that responses are read into. */
export interface ResponsePool {
  tryAllocate(size: number): Buffer | undefined;
  deallocate(buffer: Buffer): void;
}

/** A buffer and how to give it back. */
export interface ResponseBuffer {
  readonly buffer: Buffer;
  release(): void;
}

function nothingToRelease(): void {
  // The garbage collector takes it.
}

/**
 * Memory for the data of responses. Taken from a pool while that has room; a client that is slow to
 * read its answers holds what it was given, and must not make all others wait, so beyond the pool's
 * bound memory comes from the system.
 */
export class ResponseMemory {
  readonly #pool: ResponsePool;

  constructor(pool: ResponsePool) {
    this.#pool = pool;
  }

  /** A buffer of at least `size` bytes. */
  take(size: number): ResponseBuffer {
    const buffer = this.#pool.tryAllocate(size);
    if (buffer === undefined) {
      return { buffer: Buffer.allocUnsafeSlow(size), release: nothingToRelease };
    }
    let held = true;
    return {
      buffer,
      release: () => {
        if (!held) return;
        held = false;
        this.#pool.deallocate(buffer);
      },
    };
  }
}
