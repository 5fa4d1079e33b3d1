import { describe, expect, it } from 'vitest';
import { LogCorruptError } from '../../src/errors.ts';
import { TransactionIndex } from '../../src/index/transaction-index.ts';

const first = { producerId: 7, firstOffset: 100, lastOffset: 110, lastStableOffset: 100 };
const second = { producerId: 8, firstOffset: 105, lastOffset: 130, lastStableOffset: 131 };

describe('TransactionIndex', () => {
  it('is stored as Kafka stores it', () => {
    const index = new TransactionIndex();
    index.append(first);
    expect(index.bytes().toString('hex')).toBe(
      '000000000000000000070000000000000064000000000000006e0000000000000064',
    );
  });

  it('collects what overlaps a read, and says when no later entry can', () => {
    const index = new TransactionIndex();
    index.append(first);
    index.append(second);
    expect(index.collect(100, 105)).toEqual({ transactions: [first], complete: true });
    expect(index.collect(100, 106)).toEqual({ transactions: [first, second], complete: true });
    expect(index.collect(111, 140)).toEqual({ transactions: [second], complete: false });
  });

  it('drops transactions whose marker is cut away', () => {
    const index = new TransactionIndex();
    index.append(first);
    index.append(second);
    index.truncateTo(130);
    expect(index.count).toBe(1);
  });

  it('refuses half an entry and an unknown version', () => {
    expect(() => new TransactionIndex(Buffer.alloc(33))).toThrow(LogCorruptError);
    expect(() => new TransactionIndex(Buffer.alloc(34, 1))).toThrow(LogCorruptError);
  });
});
