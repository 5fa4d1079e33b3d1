import { Ownership } from '../ownership.ts';
import type { SharedLayout } from './shared-layout.ts';

/** The buffers of one thread over the pages of a shared pool. Those of a whole page are made once. */
export class PageBuffers {
  readonly #layout: SharedLayout;
  readonly #ownership = new Ownership();
  readonly #wholePages = new Map<number, Buffer>();

  constructor(layout: SharedLayout) {
    this.#layout = layout;
  }

  /** How many pages a buffer of `size` bytes takes: an empty one takes one as well. */
  pagesFor(size: number): number {
    return Math.max(1, Math.ceil(size / this.#layout.shape.pageBytes));
  }

  /** The buffer of `size` bytes that starts with page `first`, as one that is out. */
  grant(first: number, size: number): Buffer {
    const known = size === this.#layout.shape.pageBytes ? this.#wholePages.get(first) : undefined;
    if (known !== undefined) {
      this.#ownership.markGranted(known);
      return known;
    }
    const { memory, dataOffset, shape } = this.#layout;
    const buffer = Buffer.from(memory, dataOffset + first * shape.pageBytes, size);
    this.#ownership.adopt(buffer);
    if (size === shape.pageBytes) this.#wholePages.set(first, buffer);
    return buffer;
  }

  /** The first page of a buffer that comes back. @throws as `BufferPool.deallocate` does, and changes nothing */
  takeBack(buffer: Buffer, size: number | undefined): number {
    this.#ownership.markReturned(buffer, size);
    return (buffer.byteOffset - this.#layout.dataOffset) / this.#layout.shape.pageBytes;
  }
}
