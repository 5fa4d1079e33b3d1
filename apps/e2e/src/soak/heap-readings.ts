import { getHeapSpaceStatistics } from 'node:v8';

const MIB = 1024 * 1024;
/** Where V8 keeps compiled code, which it goes on making for a long time. */
const CODE_SPACES = /code|trusted/;

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
    // V8 frees the memory of dead buffers beside the program; the next collection waits for that.
    this.#collect();
    this.#heap.push(usedByData());
    this.#buffers.push(process.memoryUsage().arrayBuffers);
  }

  /** All readings of the heap, in MiB. */
  describe(): string {
    return inMib(this.#heap);
  }

  /** All readings of the memory behind buffers, in MiB. */
  describeBuffers(): string {
    return inMib(this.#buffers);
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

function inMib(readings: readonly number[]): string {
  return readings.map((bytes) => (bytes / MIB).toFixed(2)).join(' ');
}

function usedByData(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => !CODE_SPACES.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

function growth(readings: readonly number[]): number {
  const third = Math.floor(readings.length / 3);
  return Math.min(...readings.slice(-third)) - Math.min(...readings.slice(0, third));
}
