import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import {
  BatchSender,
  type BatchSenderOptions,
  RecordAccumulator,
} from '../../src/accumulator/index.ts';
import { SharedBufferPool } from '../../src/shared/index.ts';
import { makeAccumulator, record, type TestRecord } from './test-accumulator.ts';

function makeSender(options: Partial<BatchSenderOptions<TestRecord, string>> = {}) {
  const parts = makeAccumulator({}, 1000);
  const sent: string[] = [];
  const sender = new BatchSender(parts.accumulator, {
    send: async ({ records }) => {
      sent.push(records.map(({ name }) => name).join('+'));
    },
    ...options,
  });
  return { ...parts, sender, sent };
}

test('batches are sent when they are ready, and completed', async () => {
  const { accumulator, clock, pool, sender, sent } = makeSender();
  const batch = await accumulator.append('p', record('a'));
  await accumulator.append('p', record('b'));
  await clock.advanceAsync(4);
  expect(sent).toEqual([]);
  await clock.advanceAsync(1);
  expect(sent).toEqual(['a+b']);
  await batch.settled();
  await sender.close();
  expect(pool.stats().grantedBytes).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test('close sends what is left without lingering', async () => {
  const { accumulator, sender, sent } = makeSender();
  await accumulator.append('p', record('a'));
  await accumulator.append('q', record('b'));
  await sender.close();
  expect(sent).toEqual(['a', 'b']);
});

test('a failure that may be retried is tried again in order; others fail the batch', async () => {
  const failures = new Map([['a', 2]]);
  const { accumulator, clock, sender, sent } = makeSender({
    send: async ({ records }) => {
      const [first] = records;
      sent.push(first?.name ?? '');
      if (first?.name === 'fatal') throw new TypeError('fatal');
      const left = failures.get(first?.name ?? '') ?? 0;
      failures.set(first?.name ?? '', left - 1);
      if (left > 0) throw new Error('later');
    },
    isRetryable: (error) => !(error instanceof TypeError),
  });
  for (const name of ['a', 'b', 'fatal', 'c']) await accumulator.append('p', record(name, 100));
  await clock.advanceAsync(1000);
  expect(sent).toEqual(['a', 'a', 'a', 'b', 'fatal', 'c']);
  await sender.close();
});

test('no batch is tried more than maxAttempts times, and its last error is what its writers see', async () => {
  let attempts = 0;
  const { accumulator, clock, sender } = makeSender({
    send: () => {
      attempts += 1;
      throw new Error(`attempt ${attempts}`);
    },
    maxAttempts: 3,
  });
  const batch = await accumulator.append('p', record('a', 100));
  const settled = expect(batch.settled()).rejects.toThrow('attempt 3');
  await clock.advanceAsync(10_000);
  await settled;
  await sender.close();
});

test('a judgement that throws fails the batch, and its memory goes back', async () => {
  const { accumulator, clock, pool, sender } = makeSender({
    send: () => Promise.reject(new Error('network')),
    isRetryable: () => {
      throw new Error('no idea');
    },
  });
  const batch = await accumulator.append('p', record('a', 100));
  const settled = expect(batch.settled()).rejects.toThrow('no idea');
  await clock.advanceAsync(0);
  await settled;
  expect(pool.stats().grantedBytes).toBe(0);
  await sender.close();
});

test('the pool may be one that threads share', async () => {
  const clock = new ManualClock();
  const pool = SharedBufferPool.create({ totalBytes: 200, poolableBytes: 100 }, { clock });
  const accumulator = new RecordAccumulator<TestRecord>(
    {
      estimatedBytes: ({ bytes }) => bytes,
      write: ({ name }, target, offset) => target.write(name, offset),
    },
    { pool, clock },
  );
  const sent: string[] = [];
  const sender = new BatchSender(accumulator, {
    send: async ({ bytes }) => sent.push(bytes.toString()),
  });
  for (const name of ['a', 'b', 'c', 'd']) await accumulator.append('p', record(name, 100));
  await sender.close();
  expect(sent).toEqual(['a', 'b', 'c', 'd']);
  expect(pool.stats().availableBytes).toBe(200);
});

test('no more than maxInFlight batches are in flight, and one a partition', async () => {
  const flying = new Map<string, () => void>();
  const { accumulator, clock, sender } = makeSender({
    send: (batch) => new Promise<void>((resolve) => flying.set(batch.partition, resolve)),
    maxInFlight: 2,
  });
  for (const partition of ['p', 'p', 'q', 'r']) {
    await accumulator.append(partition, record('x', 100));
  }
  await clock.advanceAsync(0);
  expect([...flying.keys()]).toEqual(['p', 'q']);
  flying.get('q')?.();
  flying.delete('q');
  await clock.advanceAsync(0);
  expect([...flying.keys()]).toEqual(['p', 'r']);
  const closing = sender.close();
  while (flying.size > 0) {
    const [[partition, land] = []] = flying;
    flying.delete(partition ?? '');
    land?.();
    await clock.advanceAsync(0);
  }
  await closing;
});

test('abort tells the senders in flight, and waits for them', async () => {
  const { accumulator, clock, pool, sender } = makeSender({
    send: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  });
  const batch = await accumulator.append('p', record('a', 100));
  await clock.advanceAsync(0);
  expect(accumulator.stats().inFlightBatches).toBe(1);
  await sender.abort(new Error('stop'));
  await expect(batch.settled()).rejects.toThrow('stop');
  expect(pool.stats().grantedBytes).toBe(0);
});

test.each([
  ['maxAttempts', { maxAttempts: 0 }],
  ['maxInFlight', { maxInFlight: 1.5 }],
  ['send', { send: 5 as never }],
])('%s is checked, and named when it is wrong', (name, options) => {
  expect(() => makeSender(options)).toThrow(
    expect.objectContaining({
      code: 'LOGLOFT_ACCUMULATOR_INVALID_OPTIONS',
      message: expect.stringContaining(name),
    }),
  );
});
