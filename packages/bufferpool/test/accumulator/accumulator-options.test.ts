import { expect, test } from 'vitest';
import { RecordAccumulator } from '../../src/accumulator/index.ts';
import { makeAccumulator } from './test-accumulator.ts';

test.each([
  ['batchBytes', { batchBytes: 0 }],
  ['batchBytes', { batchBytes: 301 }],
  ['lingerMs', { lingerMs: -1 }],
  ['retryBackoffMs', { retryBackoffMs: Number.NaN }],
  ['retryBackoffMaxMs', { retryBackoffMaxMs: -1 }],
  ['deliveryTimeoutMs', { deliveryTimeoutMs: -1 }],
  ['maxInFlightPerPartition', { maxInFlightPerPartition: 0 }],
  ['maxWaiters', { maxWaiters: 0 }],
  ['write', { write: 5 as never }],
  ['estimatedBytes', { estimatedBytes: 5 as never }],
])('%s is checked, and named when it is wrong', (name, options) => {
  const { pool, clock } = makeAccumulator();
  expect(
    () => new RecordAccumulator({ estimatedBytes: () => 1, ...options }, { pool, clock }),
  ).toThrow(
    expect.objectContaining({
      code: 'LOGLOFT_ACCUMULATOR_INVALID_OPTIONS',
      message: expect.stringContaining(name),
    }),
  );
});
