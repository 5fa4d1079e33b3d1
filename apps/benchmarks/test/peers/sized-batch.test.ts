import { createBatchHeader, validateBatch } from '@logloft/records';
import { expect, test } from 'vitest';
import { sizedBatch } from '../../src/peers/sized-batch.ts';

test.each([128, 1024, 4096, 16 * 1024, 256 * 1024, 1024 * 1024])(
  'a batch of %i bytes has exactly these, and a broker would take it',
  (bytes) => {
    const { batch, records } = sizedBatch(bytes);
    const header = createBatchHeader();
    validateBatch(batch, 0, batch.length, header);
    expect(batch.length).toBe(bytes);
    expect(header.recordCount).toBe(records);
  },
);
