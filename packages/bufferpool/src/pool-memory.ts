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
  /** Size of the buffers of each list: a class is found without touching the lists. */
  readonly #sizes: readonly number[];
  /** The class that is looked at first: the only one of a plain pool. */
  readonly #firstSize: number;
  readonly #roundsUp: boolean;
  #unallocatedBytes: number;
  #pooledBytes = 0;

  constructor(options: PoolMemoryOptions) {
    this.#unallocatedBytes = options.totalBytes;
    this.#lists = options.pooledSizes.map((size) => new FreeList(size));
    this.#sizes = options.pooledSizes;
    this.#firstSize = options.pooledSizes[0] ?? -1;
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

  /** The class of buffers that a request for `size` bytes is served from; -1 when there is none. */
  classFor(size: number): number {
    return this.#roundsUp ? this.#classHolding(size) : this.#classOf(size);
  }

  /** The size of the buffer that a request for `size` bytes of class `sizeClass` gets, and that counts. */
  capacityOf(sizeClass: number, size: number): number {
    return this.#sizes[sizeClass] ?? size;
  }

  /** The free buffer of the class that rested longest. */
  takePooled(sizeClass: number): Buffer | undefined {
    const list = this.#lists[sizeClass];
    const buffer = list?.takeHead();
    if (list !== undefined && buffer !== undefined) this.#pooledBytes -= list.bufferBytes;
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
    const list = this.#lists[this.#classOf(bytes)];
    // A buffer that is shorter than its account grew elsewhere, or its memory was transferred away.
    if (list === undefined || buffer.length !== bytes) {
      this.#unallocatedBytes += bytes;
      return;
    }
    list.append(buffer);
    this.#pooledBytes += bytes;
  }

  #classOf(bytes: number): number {
    if (bytes === this.#firstSize) return 0;
    const sizes = this.#sizes;
    for (let i = 1; i < sizes.length; i += 1) if (sizes[i] === bytes) return i;
    return -1;
  }

  #classHolding(size: number): number {
    if (size <= this.#firstSize) return 0;
    const sizes = this.#sizes;
    for (let i = 1; i < sizes.length; i += 1) if (size <= (sizes[i] ?? 0)) return i;
    return -1;
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
