import { getInt64, setInt64 } from '@logloft/records';
import { LogCorruptError } from '../errors.ts';
import { SortedEntries } from './sorted-entries.ts';

const ENTRY_BYTES = 12;

/**
 * The `.timeindex` of a segment: pairs of a timestamp (int64, ms) and an offset relative to the
 * segment's base (int32). No record at or before that offset has a greater timestamp. Ascending.
 */
export class TimeIndex {
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

  /** Greatest timestamp with an entry; -1 without one. */
  lastTimestamp(): number {
    return this.count === 0 ? -1 : this.#timestamp(this.count - 1);
  }

  /** Offset of the last entry; the base offset without one. */
  lastOffset(): number {
    return this.count === 0 ? this.baseOffset : this.#offset(this.count - 1);
  }

  /** Adds an entry if its timestamp is greater than all before. */
  maybeAppend(timestamp: number, offset: number): void {
    if (timestamp <= this.lastTimestamp()) return;
    const at = this.#entries.push();
    setInt64(this.#entries.view, at, timestamp);
    this.#entries.view.setInt32(at + 8, offset - this.baseOffset);
  }

  /** Offset of the last entry with a timestamp below `timestamp`; the base offset without one. */
  offsetBefore(timestamp: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#timestamp(middle) < timestamp) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? this.baseOffset : this.#offset(low - 1);
  }

  /** Removes the entries of `offset` and beyond. */
  truncateTo(offset: number): void {
    let count = this.count;
    while (count > 0 && this.#offset(count - 1) >= offset) count -= 1;
    this.#entries.truncate(count);
  }

  #timestamp(entry: number): number {
    return getInt64(this.#entries.view, entry * ENTRY_BYTES);
  }

  #offset(entry: number): number {
    return this.baseOffset + this.#entries.view.getInt32(entry * ENTRY_BYTES + 8);
  }
}

function checkStored(stored: Buffer, baseOffset: number): void {
  if (stored.length % ENTRY_BYTES !== 0) {
    throw new LogCorruptError(
      `The time index of ${baseOffset} has ${stored.length} bytes, which is no multiple of 12`,
    );
  }
  const last = stored.length - ENTRY_BYTES;
  if (last < 0) return;
  const view = new DataView(stored.buffer, stored.byteOffset, stored.length);
  if (getInt64(view, last) < getInt64(view, 0) || view.getInt32(last + 8) < 0) {
    throw new LogCorruptError(
      `The last entry of the time index of ${baseOffset} lies before the first, or before the segment`,
    );
  }
}
