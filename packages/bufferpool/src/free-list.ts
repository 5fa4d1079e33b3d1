/**
 * Buffers of one size that wait for reuse: taken from the head, returned to the tail, and broken up
 * from the tail, so that the buffer which rested longest is the next to be used. A ring whose
 * length is a power of two; it grows with what it holds, and the pool's budget bounds that.
 */
export class FreeList {
  /** Size in bytes of every buffer in here. */
  readonly bufferBytes: number;
  #ring: (Buffer | undefined)[] = new Array<Buffer | undefined>(8).fill(undefined);
  #mask = 7;
  #head = 0;
  #length = 0;

  constructor(bufferBytes: number) {
    this.bufferBytes = bufferBytes;
  }

  get length(): number {
    return this.#length;
  }

  append(buffer: Buffer): void {
    if (this.#length > this.#mask) this.#grow();
    this.#ring[(this.#head + this.#length) & this.#mask] = buffer;
    this.#length += 1;
  }

  takeHead(): Buffer | undefined {
    if (this.#length === 0) return undefined;
    const at = this.#head;
    const buffer = this.#ring[at];
    this.#ring[at] = undefined;
    this.#head = (at + 1) & this.#mask;
    this.#length -= 1;
    return buffer;
  }

  /** Lets go of the buffer at the tail. Does nothing on an empty list. */
  dropTail(): void {
    if (this.#length === 0) return;
    this.#length -= 1;
    this.#ring[(this.#head + this.#length) & this.#mask] = undefined;
  }

  #grow(): void {
    const old = this.#ring;
    const ring = new Array<Buffer | undefined>(old.length * 2).fill(undefined);
    for (let i = 0; i < this.#length; i += 1) ring[i] = old[(this.#head + i) & this.#mask];
    this.#ring = ring;
    this.#mask = ring.length - 1;
    this.#head = 0;
  }
}
