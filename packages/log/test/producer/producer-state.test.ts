import { createBatchHeader, readBatchHeader } from '@logloft/records';
import { describe, expect, it } from 'vitest';
import {
  FencedProducerEpochError,
  LogCorruptError,
  OutOfOrderSequenceError,
} from '../../src/errors.ts';
import { ProducerEntry } from '../../src/producer/producer-entry.ts';
import {
  parseProducerSnapshot,
  printProducerSnapshot,
} from '../../src/producer/producer-snapshot.ts';
import { ProducerState } from '../../src/producer/producer-state.ts';
import { readTransactionMarker } from '../../src/producer/transaction-marker.ts';
import { type TestBatch, testBatch, testMarker } from '../support/batches.ts';

const MAX = 2 ** 31 - 1;

class Writer {
  readonly state = new ProducerState('t-0');
  offset = 0;

  /** Checks and applies a batch; its base offset, of the first one if it is a duplicate. */
  write(options: TestBatch): number {
    const header = createBatchHeader();
    readBatchHeader(testBatch({ producerId: 7, producerEpoch: 0, ...options }), 0, header);
    const original = this.state.check(header);
    if (original >= 0) return original;
    header.baseOffset = this.offset;
    this.state.apply(header, 1000);
    this.offset += header.lastOffsetDelta + 1;
    return header.baseOffset;
  }

  end(outcome: 'commit' | 'abort', producerId = 7): ReturnType<ProducerState['apply']> {
    const batch = testMarker(outcome, producerId);
    const header = createBatchHeader();
    readBatchHeader(batch, 0, header);
    header.baseOffset = this.offset;
    this.offset += 1;
    return this.state.apply(header, 1000, readTransactionMarker(batch));
  }
}

describe('ProducerState', () => {
  it('answers each of the last five batches with its first offset, and no older one', () => {
    const writer = new Writer();
    for (let i = 0; i < 6; i += 1) writer.write({ baseSequence: i * 2, count: 2 });
    for (let i = 1; i < 6; i += 1) {
      expect(writer.write({ baseSequence: i * 2, count: 2 })).toBe(i * 2);
    }
    expect(() => writer.write({ baseSequence: 0, count: 2 })).toThrow(OutOfOrderSequenceError);
    expect(writer.offset).toBe(12);
  });

  it('refuses gaps, and batches that overlap others without being the same', () => {
    const writer = new Writer();
    writer.write({ baseSequence: 0, count: 3 });
    for (const batch of [
      { baseSequence: 4 },
      { baseSequence: 0, count: 2 },
      { baseSequence: 1, count: 2 },
    ]) {
      expect(() => writer.write(batch)).toThrow(OutOfOrderSequenceError);
    }
    expect(writer.write({ baseSequence: 3 })).toBe(3);
  });

  it('goes from sequence 2147483647 to 0, also within a batch, and knows duplicates across it', () => {
    const writer = new Writer();
    writer.write({ baseSequence: MAX - 1, count: 2 });
    expect(writer.write({ baseSequence: 0, count: 1 })).toBe(2);
    const crossing = new Writer();
    crossing.write({ baseSequence: MAX - 1, count: 4 });
    expect(crossing.write({ baseSequence: MAX - 1, count: 4 })).toBe(0);
    expect(crossing.write({ baseSequence: 2, count: 1 })).toBe(4);
  });

  it('accepts any first sequence of an unknown producer, but 0 alone of a new epoch', () => {
    const writer = new Writer();
    expect(writer.write({ baseSequence: 500 })).toBe(0);
    expect(() => writer.write({ producerEpoch: 1, baseSequence: 501 })).toThrow(
      OutOfOrderSequenceError,
    );
    expect(writer.write({ producerEpoch: 1, baseSequence: 0 })).toBe(1);
    expect(() => writer.write({ producerEpoch: 0, baseSequence: 501 })).toThrow(
      FencedProducerEpochError,
    );
  });

  it('takes a whole turn back, also of producers that it first saw in it', () => {
    const writer = new Writer();
    writer.write({ baseSequence: 0 });
    writer.write({ baseSequence: 1 });
    writer.state.commit();
    for (let i = 2; i < 9; i += 1) writer.write({ baseSequence: i });
    writer.write({ producerId: 8, baseSequence: 0, isTransactional: true });
    writer.state.rollback(2);
    writer.offset = 2;
    expect(writer.state.size).toBe(1);
    expect(writer.state.firstUnstableOffset).toBeUndefined();
    expect(writer.write({ baseSequence: 0 })).toBe(0);
    expect(writer.write({ baseSequence: 2 })).toBe(2);
  });

  it('is stored as Kafka stores it', () => {
    const entry = new ProducerEntry(7);
    entry.epoch = 1;
    entry.coordinatorEpoch = 9;
    entry.add(4, 104, 2, 1_700_000_000_000);
    const hex =
      '00012369846f0000000100000000000000070001000000040000000000000068' +
      '000000020000018bcfe5680000000009ffffffffffffffff';
    expect(printProducerSnapshot([entry]).toString('hex')).toBe(hex);
    const [read] = parseProducerSnapshot(Buffer.from(hex, 'hex'));
    expect([read?.lastSequence, read?.lastOffset, read?.epoch]).toEqual([4, 104, 1]);
  });

  it('refuses a snapshot with any byte changed or cut', () => {
    const writer = new Writer();
    writer.write({ baseSequence: 0 });
    const snapshot = writer.state.snapshot();
    for (let at = 0; at < snapshot.length; at += 1) {
      const changed = Buffer.from(snapshot);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => parseProducerSnapshot(changed)).toThrow(LogCorruptError);
      expect(() => parseProducerSnapshot(snapshot.subarray(0, at))).toThrow(LogCorruptError);
    }
  });

  it('knows the last batch of each producer after a snapshot', () => {
    const writer = new Writer();
    for (let i = 0; i < 3; i += 1) writer.write({ baseSequence: i });
    writer.state.load(writer.state.snapshot(), 0);
    expect(writer.write({ baseSequence: 2 })).toBe(2);
    expect(writer.write({ baseSequence: 3 })).toBe(3);
  });

  it('keeps the last stable offset at the oldest transaction until its marker is replicated', () => {
    const writer = new Writer();
    writer.write({ baseSequence: 0, isTransactional: true });
    writer.write({ producerId: 8, baseSequence: 0, isTransactional: true });
    expect(writer.state.firstUnstableOffset).toBe(0);
    const completed = writer.end('abort');
    expect(completed).toMatchObject({ firstOffset: 0, lastOffset: 2, lastStableOffset: 1 });
    expect(writer.state.firstUnstableOffset).toBe(0);
    writer.state.onHighWatermark(3);
    expect(writer.state.firstUnstableOffset).toBe(1);
    expect(writer.end('commit', 8)).toMatchObject({ aborted: false, lastStableOffset: 4 });
    writer.state.onHighWatermark(4);
    expect(writer.state.firstUnstableOffset).toBeUndefined();
    expect(writer.end('commit')).toBeUndefined();
  });

  it('forgets producers that were idle, but not one with an open transaction', () => {
    const writer = new Writer();
    writer.write({ baseSequence: 0 });
    writer.write({ producerId: 8, baseSequence: 0, isTransactional: true });
    expect(writer.state.expire(1499, 500)).toBe(0);
    expect(writer.state.expire(1500, 500)).toBe(1);
    expect(writer.state.size).toBe(1);
  });
});
