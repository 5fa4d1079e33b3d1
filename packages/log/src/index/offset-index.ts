import { LogCorruptError } from '../errors.ts';
import { SortedEntries } from './sorted-entries.ts';

const ENTRY_BYTES = 8;

/**
 * The `.index` of a segment: pairs of a batch's last offset, relative to the segment's base, and
 * the position of the batch's first byte, each an int32, both ascending. Sparse.
 */
export class OffsetIndex {
  readonly baseOffset: number;
  readonly #entries: SortedEntries;

  /** @throws LogCorruptError when `stored` is not whole entries, or they do not ascend at the end */
  constructor(baseOffset: number, stored?: Buffer) {
    this.baseOffset = baseOffset;
    if (stored !== undefined) checkStored(stored, baseOffset);
    this.#entries = new SortedEntries(ENTRY_BYTES, stored);
  }

  get count(): number {
    return this.#entries.count;
  }

  get allocatedBytes(): number {
    return this.#entries.allocatedBytes;
  }

  /** The content of the file; valid until the next change. */
  bytes(): Buffer {
    return this.#entries.bytes();
  }

  /** Adds the batch at `position` whose last offset is `lastOffset`, greater than all before. */
  append(lastOffset: number, position: number): void {
    const at = this.#entries.push();
    this.#entries.view.setInt32(at, lastOffset - this.baseOffset);
    this.#entries.view.setInt32(at + 4, position);
  }

  /** Position of the last entry whose offset is at most `offset`; 0 without one. */
  positionAtOrBefore(offset: number): number {
    const entry = this.#countWithin(offset - this.baseOffset, 0) - 1;
    return entry < 0 ? 0 : this.#position(entry);
  }

  /** Position of the first entry whose offset is above `offset`; undefined without one. */
  positionAfterOffset(offset: number): number | undefined {
    const entry = this.#countWithin(offset - this.baseOffset, 0);
    return entry < this.count ? this.#position(entry) : undefined;
  }

  /** The greatest position of an entry that is at most `position`; 0 without one. */
  floorPosition(position: number): number {
    const entry = this.#countWithin(position, 4) - 1;
    return entry < 0 ? 0 : this.#position(entry);
  }

  /** The least position of an entry that is at least `position`; undefined without one. */
  ceilingPosition(position: number): number | undefined {
    const entry = this.#countWithin(position - 1, 4);
    return entry < this.count ? this.#position(entry) : undefined;
  }

  /** Offset of the last entry and its position, or those of the segment's start. */
  last(): { readonly offset: number; readonly position: number } {
    const entry = this.count - 1;
    if (entry < 0) return { offset: this.baseOffset, position: 0 };
    return { offset: this.#offset(entry), position: this.#position(entry) };
  }

  /** Removes the entries of batches that reach `offset` or beyond. */
  truncateTo(offset: number): void {
    this.#entries.truncate(this.#countWithin(offset - 1 - this.baseOffset, 0));
  }

  #offset(entry: number): number {
    return this.baseOffset + this.#entries.view.getInt32(entry * ENTRY_BYTES);
  }

  #position(entry: number): number {
    return this.#entries.view.getInt32(entry * ENTRY_BYTES + 4);
  }

  /** How many entries have a field (0: offset, 4: position) of at most `value`. */
  #countWithin(value: number, field: number): number {
    const view = this.#entries.view;
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (view.getInt32(middle * ENTRY_BYTES + field) <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function checkStored(stored: Buffer, baseOffset: number): void {
  if (stored.length % ENTRY_BYTES !== 0) {
    throw new LogCorruptError(
      `The offset index of ${baseOffset} has ${stored.length} bytes, which is no multiple of 8`,
    );
  }
  const last = stored.length - ENTRY_BYTES;
  if (last >= 0 && (stored.readInt32BE(last) < 0 || stored.readInt32BE(last + 4) < 0)) {
    throw new LogCorruptError(
      `The last entry of the offset index of ${baseOffset} lies before the segment's start`,
    );
  }
}
