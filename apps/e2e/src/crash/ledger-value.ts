const ID_BYTES = 16;
const FILLER_BYTES = 64 * 1024;
const MAX_LENGTH_BYTES = 1500;
const FILLER = Buffer.from(
  Array.from({ length: FILLER_BYTES / 8 }, (_, index) =>
    Math.imul(index + 1, 0x9e3779b1)
      .toString(36)
      .slice(-8)
      .padStart(8, '.'),
  ).join(''),
);

/** Whose record it is, and which of all that this producer sent to this partition, from 0. */
export interface LedgerId {
  readonly producerId: number;
  readonly counter: number;
}

/** The value of a record: it says which one it is, and every further byte follows from that. */
export function ledgerValue({ producerId, counter }: LedgerId): Buffer {
  const filler = fillerOf(producerId, counter);
  const value = Buffer.allocUnsafe(ID_BYTES + filler.length);
  value.writeDoubleBE(producerId, 0);
  value.writeDoubleBE(counter, 8);
  filler.copy(value, ID_BYTES);
  return value;
}

/**
 * The inverse.
 *
 * @throws Error for bytes that no producer of the ledger wrote
 */
export function readLedgerValue(value: Buffer | null): LedgerId {
  if (value === null || value.length < ID_BYTES) throw new Error('a record is not of the ledger');
  const id = { producerId: value.readDoubleBE(0), counter: value.readDoubleBE(8) };
  const filler = fillerOf(id.producerId, id.counter);
  if (value.length === ID_BYTES + filler.length && filler.equals(value.subarray(ID_BYTES))) {
    return id;
  }
  throw new Error(
    `a record that calls itself ${JSON.stringify(id)} has other bytes than were sent`,
  );
}

function fillerOf(producerId: number, counter: number): Buffer {
  const mixed = Math.imul(producerId + 1, 0x85ebca6b) ^ Math.imul(counter + 1, 0xc2b2ae35);
  const length = (mixed >>> 8) % MAX_LENGTH_BYTES;
  const start = (mixed >>> 0) % (FILLER_BYTES - MAX_LENGTH_BYTES);
  return FILLER.subarray(start, start + length);
}
