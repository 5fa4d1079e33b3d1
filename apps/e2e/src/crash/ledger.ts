import type { LedgerId } from './ledger-value.ts';
import { partitionName, type TopicPartition } from './topic-partition.ts';

/** A batch that the broker acknowledged. */
export interface Acknowledged {
  /** Offset of its first record. */
  readonly baseOffset: number;
  readonly producerId: number;
  /** Counter of its first record. */
  readonly firstCounter: number;
  readonly count: number;
}

/** What a reading of a partition is held against. */
export interface ExpectedPartition {
  /** The acknowledged batch that begins at an offset. */
  acknowledgedAt(offset: number): Acknowledged | undefined;
  /** Acknowledged batches that begin at or after an offset. */
  acknowledgedFrom(offset: number): number;
  /** Offset after the last acknowledged record. */
  readonly end: number;
  /** Last counter that a producer was told is stored, -1 for none. */
  lastAcknowledged(producerId: number): number;
  /** Last counter that a producer sent, -1 for none. */
  lastSent(producerId: number): number;
}

/** What producers sent, and what they were told is stored: the side of the story that must hold. */
export class Ledger {
  readonly #partitions = new Map<string, PartitionLedger>();
  readonly #producerIds = new Set<number>();
  readonly #problems: string[] = [];
  #acknowledgedRecords = 0;

  /** Records that were acknowledged so far. */
  get acknowledgedRecords(): number {
    return this.#acknowledgedRecords;
  }

  /** Says that an answer was wrong in itself. */
  problem(text: string): void {
    this.#problems.push(text);
  }

  /** @throws Error with all that was wrong in answers since the last call */
  assertNoProblems(): void {
    const problems = this.#problems.splice(0);
    if (problems.length === 0) return;
    const shown = problems.slice(0, 10).join('\n');
    throw new Error(`${problems.length} answers were wrong:\n${shown}`);
  }

  /** Notes a producer id that was given out; no two producers may ever have the same. */
  producer(producerId: number): void {
    if (this.#producerIds.has(producerId))
      this.problem(`producer id ${producerId} was given twice`);
    this.#producerIds.add(producerId);
  }

  /** Notes that a record is about to be sent. */
  sent(of: TopicPartition, { producerId, counter }: LedgerId): void {
    this.#of(of).sent(producerId, counter);
  }

  /** Notes that a batch was acknowledged. */
  acknowledged(of: TopicPartition, batch: Acknowledged): void {
    this.#acknowledgedRecords += batch.count;
    const other = this.#of(of).acknowledge(batch);
    if (other === undefined) return;
    const both = `${JSON.stringify(other)} and ${JSON.stringify(batch)}`;
    this.problem(`${partitionName(of)}: one offset was acknowledged twice, to ${both}`);
  }

  /** What must be found in a partition. */
  expected(of: TopicPartition): ExpectedPartition {
    return this.#of(of);
  }

  #of(partition: TopicPartition): PartitionLedger {
    const name = partitionName(partition);
    const known = this.#partitions.get(name);
    if (known !== undefined) return known;
    const made = new PartitionLedger();
    this.#partitions.set(name, made);
    return made;
  }
}

class PartitionLedger implements ExpectedPartition {
  readonly #batches = new Map<number, Acknowledged>();
  readonly #lastSent = new Map<number, number>();
  readonly #lastAcknowledged = new Map<number, number>();
  end = 0;

  sent(producerId: number, counter: number): void {
    this.#lastSent.set(producerId, counter);
  }

  acknowledge(batch: Acknowledged): Acknowledged | undefined {
    const { baseOffset, producerId, firstCounter, count } = batch;
    const other = this.#batches.get(baseOffset);
    this.#batches.set(baseOffset, batch);
    this.end = Math.max(this.end, baseOffset + count);
    this.#lastAcknowledged.set(producerId, firstCounter + count - 1);
    return other;
  }

  acknowledgedAt(offset: number): Acknowledged | undefined {
    return this.#batches.get(offset);
  }

  acknowledgedFrom(offset: number): number {
    let count = 0;
    for (const baseOffset of this.#batches.keys()) if (baseOffset >= offset) count += 1;
    return count;
  }

  lastSent(producerId: number): number {
    return this.#lastSent.get(producerId) ?? -1;
  }

  lastAcknowledged(producerId: number): number {
    return this.#lastAcknowledged.get(producerId) ?? -1;
  }
}
