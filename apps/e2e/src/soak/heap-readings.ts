const MIB = 1024 * 1024;

/** What is in use after a collection, read again and again: it must not grow. */
export class HeapReadings {
  readonly #collect: () => void;
  readonly #heap: number[] = [];
  readonly #buffers: number[] = [];

  /** @throws Error when Node was started without `--expose-gc` */
  constructor() {
    if (globalThis.gc === undefined) throw new Error('start Node with --expose-gc');
    this.#collect = globalThis.gc;
  }

  read(): void {
    this.#collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    this.#heap.push(heapUsed);
    this.#buffers.push(arrayBuffers);
  }

  /** All readings of the heap, in MiB. */
  describe(): string {
    return this.#heap.map((bytes) => (bytes / MIB).toFixed(2)).join(' ');
  }

  /** How much the least reading of the last third is above that of the first, in bytes. */
  get heapGrowth(): number {
    return growth(this.#heap);
  }

  /** The same of the memory behind buffers. */
  get bufferGrowth(): number {
    return growth(this.#buffers);
  }
}

function growth(readings: readonly number[]): number {
  const third = Math.floor(readings.length / 3);
  return Math.min(...readings.slice(-third)) - Math.min(...readings.slice(0, third));
}
