import { BatchCursor, RecordCursor } from '@logloft/records';
import type { KafkaConnection } from '../harness/kafka-connection.ts';
import type { Acknowledged, ExpectedPartition } from './ledger.ts';
import { readLedgerValue } from './ledger-value.ts';
import { type FetchedBatches, fetchSome, partitionBounds } from './partition-fetcher.ts';
import { partitionName, type TopicPartition } from './topic-partition.ts';

const MAX_INT32 = 2 ** 31;

/** What was found in a partition that is as it must be. */
export interface VerifiedPartition {
  readonly records: number;
  readonly bytes: number;
  readonly logStartOffset: number;
  readonly end: number;
}

/**
 * Reads a partition from its first record through ordinary fetches, whichever tier they come from, and
 * holds it against the ledger: every acknowledged record is at its offset; offsets have no gap; of each
 * producer every record is there once and in order, the ones in doubt too.
 *
 * Nobody may produce meanwhile. Where records expire, `mayExpire`, only what is left is looked at.
 *
 * @throws Error with the first thing that is not so
 */
export async function verifyPartition(
  connection: KafkaConnection,
  of: TopicPartition,
  expected: ExpectedPartition,
  { mayExpire = false }: { readonly mayExpire?: boolean } = {},
): Promise<VerifiedPartition> {
  const { logStartOffset, end } = await partitionBounds(connection, of);
  if (!mayExpire && logStartOffset !== 0) {
    throw new Error(`${partitionName(of)} begins at ${logStartOffset}, nothing of it may expire`);
  }
  if (end < expected.end) {
    const what = `${expected.end - end} acknowledged records are gone`;
    throw new Error(`${partitionName(of)} ends at ${end}: ${what} (${expected.end})`);
  }
  const reading = new Reading(of, expected, logStartOffset);
  while (reading.next < end) {
    const fetched = await fetchSome(connection, of, reading.next);
    if (fetched !== 'out-of-range') reading.accept(fetched);
    else if (mayExpire) reading.jump((await partitionBounds(connection, of)).logStartOffset);
    else throw new Error(`${partitionName(of)}: offset ${reading.next} is out of range`);
  }
  reading.finish();
  const { records, bytes } = reading;
  return { records, bytes, logStartOffset: reading.start, end };
}

class Reading {
  readonly #name: string;
  readonly #expected: ExpectedPartition;
  readonly #cursor = new RecordCursor();
  /** Counter of the next record of each producer. */
  readonly #nextCounters = new Map<number, number>();
  #batch: Acknowledged | undefined;
  #batchesFound = 0;
  start: number;
  next: number;
  records = 0;
  bytes = 0;

  constructor(of: TopicPartition, expected: ExpectedPartition, start: number) {
    this.#name = partitionName(of);
    this.#expected = expected;
    this.start = start;
    this.next = start;
  }

  accept({ records }: FetchedBatches): void {
    const batches = new BatchCursor(records);
    const before = this.next;
    while (batches.next()) {
      const { baseOffset, lastOffsetDelta } = batches.header;
      if (baseOffset + lastOffsetDelta < this.next) continue;
      this.#acceptBatch(records, batches.position);
    }
    if (batches.tailBytes > 0) throw this.#wrong('a fetch was answered with part of a batch');
    if (this.next === before) throw this.#wrong('a fetch was answered with other records only');
    this.bytes += records.length;
  }

  /** Goes on at a later offset, because what was before it has expired. */
  jump(offset: number): void {
    if (offset <= this.next) throw this.#wrong(`out of range, but the log starts at ${offset}`);
    this.start = offset;
    this.next = offset;
    this.#batch = undefined;
    this.#batchesFound = 0;
    this.#nextCounters.clear();
  }

  finish(): void {
    const acknowledged = this.#expected.acknowledgedFrom(this.start);
    if (acknowledged !== this.#batchesFound) {
      throw this.#wrong(
        `${acknowledged} acknowledged batches begin from ${this.start} on, ${this.#batchesFound} were found`,
      );
    }
    for (const [producerId, next] of this.#nextCounters) {
      const last = this.#expected.lastAcknowledged(producerId);
      if (next <= last) {
        throw this.#wrong(`producer ${producerId} ends with ${next - 1}, ${last} was acknowledged`);
      }
    }
  }

  #acceptBatch(bytes: Buffer, at: number): void {
    const cursor = this.#cursor;
    cursor.open(bytes, at);
    while (cursor.next()) {
      const { producerId, counter } = readLedgerValue(cursor.value);
      const { batch } = cursor;
      const sequence = (batch.baseSequence + cursor.index) % MAX_INT32;
      if (batch.producerId !== producerId || sequence !== counter % MAX_INT32) {
        throw this.#wrong(
          `record ${cursor.offset} is ${producerId}/${counter}, its batch says ${batch.producerId}/${sequence}`,
        );
      }
      this.#acceptRecord(cursor.offset, producerId, counter);
    }
  }

  #acceptRecord(offset: number, producerId: number, counter: number): void {
    if (offset !== this.next) throw this.#wrong(`offset ${offset} follows ${this.next - 1}`);
    const wanted = this.#nextCounters.get(producerId) ?? (this.start === 0 ? 0 : counter);
    if (counter !== wanted) {
      throw this.#wrong(
        `offset ${offset} has record ${counter} of producer ${producerId}, expected ${wanted}`,
      );
    }
    if (counter > this.#expected.lastSent(producerId)) {
      throw this.#wrong(`offset ${offset} has record ${counter}, which was never sent`);
    }
    this.#holdAgainstAnswer(offset, producerId, counter);
    this.#nextCounters.set(producerId, counter + 1);
    this.next = offset + 1;
    this.records += 1;
  }

  #holdAgainstAnswer(offset: number, producerId: number, counter: number): void {
    const begun = this.#expected.acknowledgedAt(offset);
    if (begun !== undefined) {
      this.#batch = begun;
      this.#batchesFound += 1;
    }
    const batch = this.#batch;
    if (batch === undefined || offset >= batch.baseOffset + batch.count) return;
    const index = offset - batch.baseOffset;
    if (batch.producerId === producerId && batch.firstCounter + index === counter) return;
    throw this.#wrong(
      `offset ${offset} has ${producerId}/${counter}, acknowledged was ${JSON.stringify(batch)}`,
    );
  }

  #wrong(what: string): Error {
    return new Error(`${this.#name}: ${what}`);
  }
}
