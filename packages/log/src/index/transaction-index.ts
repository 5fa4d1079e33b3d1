import { getInt64, setInt64 } from '@logloft/records';
import { LogCorruptError } from '../errors.ts';
import { SortedEntries } from './sorted-entries.ts';

const ENTRY_BYTES = 34;
const VERSION = 0;

/** A transaction that was aborted. */
export interface AbortedTransaction {
  readonly producerId: number;
  /** Offset of its first record in this partition. */
  readonly firstOffset: number;
  /** Offset of its abort marker. */
  readonly lastOffset: number;
  /** The last stable offset when the marker was written. */
  readonly lastStableOffset: number;
}

/** What a segment knows of the aborted transactions in a range. */
export interface CollectedTransactions {
  readonly transactions: AbortedTransaction[];
  /** Whether no later segment can have another one for the range. */
  readonly complete: boolean;
}

/** The `.txnindex` of a segment: its aborted transactions in the order of their markers. */
export class TransactionIndex {
  readonly #entries: SortedEntries;

  /** @throws LogCorruptError when `stored` is not whole entries of version 0 */
  constructor(stored?: Buffer) {
    if (stored !== undefined) checkStored(stored);
    this.#entries = new SortedEntries(ENTRY_BYTES, stored);
  }

  get count(): number {
    return this.#entries.count;
  }

  /** The content of the file; valid until the next change. */
  bytes(): Buffer {
    return this.#entries.bytes();
  }

  append(aborted: AbortedTransaction): void {
    const at = this.#entries.push();
    const { view } = this.#entries;
    view.setInt16(at, VERSION);
    setInt64(view, at + 2, aborted.producerId);
    setInt64(view, at + 10, aborted.firstOffset);
    setInt64(view, at + 18, aborted.lastOffset);
    setInt64(view, at + 26, aborted.lastStableOffset);
  }

  /** The transactions that concern a read of [`from`, `upper`). */
  collect(from: number, upper: number): CollectedTransactions {
    const transactions: AbortedTransaction[] = [];
    for (let entry = 0; entry < this.count; entry += 1) {
      const aborted = this.#at(entry);
      if (aborted.lastOffset >= from && aborted.firstOffset < upper) transactions.push(aborted);
      if (aborted.lastStableOffset >= upper) return { transactions, complete: true };
    }
    return { transactions, complete: false };
  }

  /** Removes the entries whose marker is at `offset` or beyond. */
  truncateTo(offset: number): void {
    let count = this.count;
    while (count > 0 && this.#at(count - 1).lastOffset >= offset) count -= 1;
    this.#entries.truncate(count);
  }

  #at(entry: number): AbortedTransaction {
    const { view } = this.#entries;
    const at = entry * ENTRY_BYTES;
    return {
      producerId: getInt64(view, at + 2),
      firstOffset: getInt64(view, at + 10),
      lastOffset: getInt64(view, at + 18),
      lastStableOffset: getInt64(view, at + 26),
    };
  }
}

function checkStored(stored: Buffer): void {
  if (stored.length % ENTRY_BYTES !== 0) {
    throw new LogCorruptError(
      `A transaction index has ${stored.length} bytes, which is no multiple of ${ENTRY_BYTES}`,
    );
  }
  for (let at = 0; at < stored.length; at += ENTRY_BYTES) {
    const version = stored.readInt16BE(at);
    if (version !== VERSION) {
      throw new LogCorruptError(
        `Entry ${at / ENTRY_BYTES} of a transaction index has version ${version}, expected ${VERSION}`,
      );
    }
  }
}
