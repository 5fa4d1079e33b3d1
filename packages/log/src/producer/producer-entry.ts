// Hot path: one entry for each producer and partition, changed for every idempotent batch. Nothing
// here allocates once an entry exists.

/** How many batches may be in flight with idempotence, and so how many are remembered. */
const REMEMBERED_BATCHES = 5;
/** Where a sequence, an epoch or an offset is not there. */
export const NONE = -1;

const FIELDS = 4;
const LAST_SEQUENCE = 0;
const LAST_OFFSET = 1;
const OFFSET_DELTA = 2;
const TIMESTAMP = 3;
const MAX_SEQUENCE = 2 ** 31 - 1;

/** The sequence `count` before `sequence`; before 0 comes 2147483647. */
function sequenceBefore(sequence: number, count: number): number {
  return sequence >= count ? sequence - count : MAX_SEQUENCE - (count - sequence) + 1;
}

/** What is known of one producer in one partition: its epoch and its last five batches. */
export class ProducerEntry {
  readonly producerId: number;
  epoch: number = NONE;
  coordinatorEpoch: number = NONE;
  /** Timestamp of the last batch, in ms; -1 without one. */
  lastTimestamp: number = NONE;
  /** When the last batch was appended, or the entry loaded: expiry counts from there. */
  lastSeenMs = 0;
  /** First offset of the open transaction; -1 without one. */
  transactionFirstOffset: number = NONE;
  /** Turn in which {@link ProducerEntry.copyFrom} last saved this entry for a roll-back. */
  savedInTurn: number = NONE;

  #count = 0;
  /** Where the next batch goes in the ring. */
  #next = 0;
  readonly #batches = new Float64Array(REMEMBERED_BATCHES * FIELDS);

  constructor(producerId: number) {
    this.producerId = producerId;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get lastSequence(): number {
    return this.#lastField(LAST_SEQUENCE);
  }

  get lastOffset(): number {
    return this.#lastField(LAST_OFFSET);
  }

  get lastOffsetDelta(): number {
    return this.isEmpty ? 0 : this.#lastField(OFFSET_DELTA);
  }

  /** Remembers a batch, in place of the oldest of five. */
  add(lastSequence: number, lastOffset: number, offsetDelta: number, timestamp: number): void {
    const at = this.#next * FIELDS;
    this.#batches[at + LAST_SEQUENCE] = lastSequence;
    this.#batches[at + LAST_OFFSET] = lastOffset;
    this.#batches[at + OFFSET_DELTA] = offsetDelta;
    this.#batches[at + TIMESTAMP] = timestamp;
    this.#next = (this.#next + 1) % REMEMBERED_BATCHES;
    if (this.#count < REMEMBERED_BATCHES) this.#count += 1;
    this.lastTimestamp = timestamp;
  }

  /** Forgets the batches, as a new epoch does. */
  clearBatches(): void {
    this.#count = 0;
    this.#next = 0;
  }

  /** Base offset of the remembered batch with exactly these sequences; -1 without one. */
  baseOffsetOf(firstSequence: number, lastSequence: number): number {
    for (let back = 1; back <= this.#count; back += 1) {
      const at = ((this.#next - back + REMEMBERED_BATCHES) % REMEMBERED_BATCHES) * FIELDS;
      const delta = this.#batches[at + OFFSET_DELTA] ?? 0;
      if (
        this.#batches[at + LAST_SEQUENCE] === lastSequence &&
        sequenceBefore(lastSequence, delta) === firstSequence
      ) {
        return (this.#batches[at + LAST_OFFSET] ?? 0) - delta;
      }
    }
    return NONE;
  }

  /** Takes over everything of another entry of the same producer. */
  copyFrom(other: ProducerEntry): void {
    this.epoch = other.epoch;
    this.coordinatorEpoch = other.coordinatorEpoch;
    this.lastTimestamp = other.lastTimestamp;
    this.lastSeenMs = other.lastSeenMs;
    this.transactionFirstOffset = other.transactionFirstOffset;
    this.#count = other.#count;
    this.#next = other.#next;
    this.#batches.set(other.#batches);
  }

  #lastField(field: number): number {
    if (this.isEmpty) return NONE;
    const last = (this.#next - 1 + REMEMBERED_BATCHES) % REMEMBERED_BATCHES;
    return this.#batches[last * FIELDS + field] ?? NONE;
  }
}
