import { RemoteLogError } from '../errors.ts';

// The index files of a segment, in Kafka's formats, read in place. All integers are big-endian.

const OFFSET_ENTRY_BYTES = 8;
const TIME_ENTRY_BYTES = 12;
const TXN_ENTRY_BYTES = 34;
const TXN_VERSION = 0;

/** Which of the index files. */
export type IndexName = 'OFFSET' | 'TIMESTAMP' | 'TRANSACTION';

/** An aborted transaction, as a fetch answer tells it to read_committed consumers. */
export interface AbortedTransaction {
  readonly producerId: number;
  /** Offset of the first record of the transaction. */
  readonly firstOffset: number;
}

/** What a transaction index knows of a range of offsets. */
export interface AbortedTransactions {
  readonly transactions: readonly AbortedTransaction[];
  /** Whether later segments cannot add to it. */
  readonly complete: boolean;
}

/**
 * Checks an index file before it is used: a damaged one would send readers anywhere.
 *
 * @throws RemoteLogError `LOGLOFT_RLM_CORRUPT_INDEX`
 */
export function checkIndex(name: IndexName, bytes: Uint8Array, baseOffset: number): void {
  const entryBytes = {
    OFFSET: OFFSET_ENTRY_BYTES,
    TIMESTAMP: TIME_ENTRY_BYTES,
    TRANSACTION: TXN_ENTRY_BYTES,
  };
  if (bytes.length % entryBytes[name] !== 0) {
    throw corrupt(name, `${bytes.length} bytes are not made of entries of ${entryBytes[name]}`);
  }
  const view = viewOf(bytes);
  if (name === 'OFFSET') checkAscending(name, view, OFFSET_ENTRY_BYTES, 0);
  if (name === 'TIMESTAMP') checkAscending(name, view, TIME_ENTRY_BYTES, 8);
  if (name === 'TRANSACTION') checkTransactions(view, baseOffset);
}

/** Relative offsets never fall, and are never negative. */
function checkAscending(name: IndexName, view: DataView, entryBytes: number, at: number): void {
  let previous = 0;
  for (let entry = at; entry < view.byteLength; entry += entryBytes) {
    const relative = view.getInt32(entry);
    if (relative < previous) throw corrupt(name, `offset ${relative} follows ${previous}`);
    previous = relative;
  }
}

function checkTransactions(view: DataView, baseOffset: number): void {
  for (let entry = 0; entry < view.byteLength; entry += TXN_ENTRY_BYTES) {
    const version = view.getInt16(entry);
    if (version !== TXN_VERSION) throw corrupt('TRANSACTION', `version ${version}`);
    const last = readInt64(view, entry + 18);
    if (last < baseOffset) throw corrupt('TRANSACTION', `offset ${last} is before the segment`);
  }
}

/** Byte position of the batch at or before `offset` from which a scan has to begin; 0 when unknown. */
export function positionForOffset(index: Uint8Array, baseOffset: number, offset: number): number {
  const view = viewOf(index);
  const at = lastEntry(
    view,
    OFFSET_ENTRY_BYTES,
    (entry) => view.getInt32(entry) <= offset - baseOffset,
  );
  return at < 0 ? 0 : view.getInt32(at + 4);
}

/** Offset of the first entry at or beyond a byte position, if there is one: all before it lies before. */
export function offsetAtPosition(
  index: Uint8Array,
  baseOffset: number,
  position: number,
): number | undefined {
  const view = viewOf(index);
  const before = lastEntry(
    view,
    OFFSET_ENTRY_BYTES,
    (entry) => view.getInt32(entry + 4) < position,
  );
  const at = before < 0 ? 0 : before + OFFSET_ENTRY_BYTES;
  return at < view.byteLength ? baseOffset + view.getInt32(at) : undefined;
}

/** An offset before which no record of the segment has a timestamp of `timestampMs` or later. */
export function offsetForTimestamp(
  index: Uint8Array,
  baseOffset: number,
  timestampMs: number,
): number {
  const view = viewOf(index);
  // An entry says that no record up to its offset is later: one with an earlier time rules those out.
  const at = lastEntry(view, TIME_ENTRY_BYTES, (entry) => readInt64(view, entry) < timestampMs);
  return at < 0 ? baseOffset : baseOffset + view.getInt32(at + 8);
}

/** The aborted transactions that overlap [`fromOffset`, `upperBound`). */
export function abortedIn(
  index: Uint8Array,
  fromOffset: number,
  upperBound: number,
): AbortedTransactions {
  const view = viewOf(index);
  const transactions: AbortedTransaction[] = [];
  for (let entry = 0; entry < view.byteLength; entry += TXN_ENTRY_BYTES) {
    const producerId = readInt64(view, entry + 2);
    const firstOffset = readInt64(view, entry + 10);
    const lastOffset = readInt64(view, entry + 18);
    const lastStableOffset = readInt64(view, entry + 26);
    if (lastOffset >= fromOffset && firstOffset < upperBound) {
      transactions.push({ producerId, firstOffset });
    }
    if (lastStableOffset >= upperBound) return { transactions, complete: true };
  }
  return { transactions, complete: false };
}

/** Start of the last entry that `accepts` takes, which it does for a run from the first on; -1 for none. */
function lastEntry(view: DataView, entryBytes: number, accepts: (at: number) => boolean): number {
  let low = 0;
  let high = view.byteLength / entryBytes;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (accepts(middle * entryBytes)) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? -1 : (low - 1) * entryBytes;
}

function readInt64(view: DataView, at: number): number {
  return view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function corrupt(name: IndexName, what: string): RemoteLogError {
  return new RemoteLogError(
    'LOGLOFT_RLM_CORRUPT_INDEX',
    `The ${name} index of a remote segment is damaged: ${what}`,
  );
}
