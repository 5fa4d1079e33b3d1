const FIRST_BYTES = 1024;

/**
 * Entries of a fixed size, one after the other in one buffer that grows by doubling, as they are in
 * an index file. What they mean, and that they ascend, is their owner's business.
 */
export class SortedEntries {
  /** Bytes of an entry. */
  readonly entryBytes: number;
  #bytes: Buffer;
  #view: DataView;
  #count: number;

  /**
   * @param stored what a file holds, whole entries; taken over
   */
  constructor(entryBytes: number, stored: Buffer = Buffer.allocUnsafe(0)) {
    this.entryBytes = entryBytes;
    this.#bytes = stored;
    this.#view = viewOf(stored);
    this.#count = Math.floor(stored.length / entryBytes);
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes held in memory. */
  get allocatedBytes(): number {
    return this.#bytes.length;
  }

  /** Over the whole buffer: an entry starts at its number times `entryBytes`. */
  get view(): DataView {
    return this.#view;
  }

  /** Makes room for one more entry, and returns the position where the caller writes it. */
  push(): number {
    const at = this.#count * this.entryBytes;
    if (at + this.entryBytes > this.#bytes.length) this.#grow();
    this.#count += 1;
    return at;
  }

  /** Forgets all entries from `count` on. */
  truncate(count: number): void {
    this.#count = Math.min(this.#count, Math.max(0, count));
  }

  /** The entries as they stand in a file; valid until the next change. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#count * this.entryBytes);
  }

  #grow(): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, this.#bytes.length * 2));
    this.#bytes.copy(grown);
    this.#bytes = grown;
    this.#view = viewOf(grown);
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
