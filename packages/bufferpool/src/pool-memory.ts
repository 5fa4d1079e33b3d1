import { FreeList } from './free-list.ts';

/** Which sizes {@link PoolMemory} keeps for reuse. */
export interface PoolMemoryOptions {
  readonly totalBytes: number;
  /** At least one size, ascending. */
  readonly pooledSizes: readonly number[];
  readonly roundsUp: boolean;
}

/**
 * The accounts of a pool: bytes that nobody holds, in two forms.
 *
 * Invariant: `unallocatedBytes` + the bytes of all free lists + what is out (granted, or gathered by
 * the waiter at the head) = the total.
 */
export class PoolMemory {
  readonly #lists: readonly FreeList[];
  readonly #first: FreeList;
  readonly #roundsUp: boolean;
  #unallocatedBytes: number;
  #pooledBytes = 0;

  constructor(options: PoolMemoryOptions) {
    this.#unallocatedBytes = options.totalBytes;
    this.#lists = options.pooledSizes.map((size) => new FreeList(size));
    // The list that the hot path looks at first: the only one of a plain pool.
    this.#first = this.#lists[0] ?? new FreeList(1);
    this.#roundsUp = options.roundsUp;
  }

  /** Bytes that belong to no buffer. */
  get unallocatedBytes(): number {
    return this.#unallocatedBytes;
  }

  /** Bytes that nobody holds, those of free buffers among them. */
  get availableBytes(): number {
    return this.#unallocatedBytes + this.#pooledBytes;
  }

  /** How many buffers wait for reuse. */
  get freeBuffers(): number {
    let count = 0;
    for (const list of this.#lists) count += list.length;
    return count;
  }

  /** The size of the buffer that a request for `size` bytes gets, and that counts. */
  capacityFor(size: number): number {
    if (!this.#roundsUp) return size;
    for (const list of this.#lists) {
      if (size <= list.bufferBytes) return list.bufferBytes;
    }
    return size;
  }

  /** The free buffer of exactly `capacity` bytes that rested longest. */
  takePooled(capacity: number): Buffer | undefined {
    const buffer = this.#listOf(capacity)?.takeHead();
    if (buffer !== undefined) this.#pooledBytes -= capacity;
    return buffer;
  }

  /** Takes up to `bytes`, breaking up free buffers where unallocated bytes do not suffice. Returns how many. */
  take(bytes: number): number {
    if (this.#unallocatedBytes < bytes) this.#breakUp(bytes);
    const taken = Math.min(bytes, this.#unallocatedBytes);
    this.#unallocatedBytes -= taken;
    return taken;
  }

  giveBytes(bytes: number): void {
    this.#unallocatedBytes += bytes;
  }

  /** Takes `bytes` back, and keeps `buffer` for reuse when it is whole and of a pooled size. */
  giveBuffer(buffer: Buffer, bytes: number): void {
    const list = this.#listOf(bytes);
    // A buffer that is shorter than its account grew elsewhere, or its memory was transferred away.
    if (list === undefined || buffer.length !== bytes) {
      this.#unallocatedBytes += bytes;
      return;
    }
    list.append(buffer);
    this.#pooledBytes += bytes;
  }

  #listOf(capacity: number): FreeList | undefined {
    if (capacity === this.#first.bufferBytes) return this.#first;
    for (let i = 1; i < this.#lists.length; i += 1) {
      const list = this.#lists[i];
      if (list !== undefined && list.bufferBytes === capacity) return list;
    }
    return undefined;
  }

  #breakUp(bytes: number): void {
    while (this.#unallocatedBytes < bytes) {
      const list = this.#listToBreakUp(bytes - this.#unallocatedBytes);
      if (list === undefined) return;
      list.dropTail();
      this.#pooledBytes -= list.bufferBytes;
      this.#unallocatedBytes += list.bufferBytes;
    }
  }

  /** The smallest free buffer that covers what is missing, else the largest: few buffers are thrown away. */
  #listToBreakUp(missing: number): FreeList | undefined {
    let chosen: FreeList | undefined;
    for (const list of this.#lists) {
      if (list.length === 0) continue;
      chosen = list;
      if (list.bufferBytes >= missing) break;
    }
    return chosen;
  }
}
