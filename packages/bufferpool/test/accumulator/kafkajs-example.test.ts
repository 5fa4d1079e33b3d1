import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { boundedProducer } from './kafkajs-example.ts';

interface Sent {
  readonly topic: string;
  readonly count: number;
}

/** Stands for a kafkajs producer: takes what it is told to hold until it is let go. */
function fakeProducer() {
  const sent: Sent[] = [];
  const holding: (() => void)[] = [];
  const state = { failures: 0, retriable: true, holds: false };
  const producer = {
    async send({ topic, messages }: { topic: string; messages: readonly unknown[] }) {
      sent.push({ topic, count: messages.length });
      if (state.failures > 0) {
        state.failures -= 1;
        throw Object.assign(new Error('leader moved'), { retriable: state.retriable });
      }
      if (state.holds) await new Promise<void>((resolve) => holding.push(resolve));
    },
  };
  return { producer, sent, holding, state };
}

test('a thousand messages that are sent one by one leave in a few batches, after the linger', async () => {
  const clock = new ManualClock();
  const { producer, sent } = fakeProducer();
  const bounded = boundedProducer(producer, clock);
  const value = 'x'.repeat(100);
  const sends = Array.from({ length: 1000 }, (_, at) =>
    bounded.send('orders', { key: String(at), value }),
  );
  await clock.advanceAsync(5);
  await Promise.all(sends);
  expect(sent.reduce((sum, { count }) => sum + count, 0)).toBe(1000);
  expect(sent.length).toBeLessThan(10);
  await bounded.close();
});

test('what is retriable is sent again in order, and what is not fails its messages', async () => {
  const clock = new ManualClock();
  const { producer, sent, state } = fakeProducer();
  const bounded = boundedProducer(producer, clock);
  state.failures = 2;
  const delivered = bounded.send('orders', { key: 'a', value: '1' });
  await clock.advanceAsync(1000);
  await delivered;
  expect(sent).toHaveLength(3);
  state.failures = 1;
  state.retriable = false;
  const refused = expect(bounded.send('orders', { key: 'b', value: '2' })).rejects.toThrow(
    'leader moved',
  );
  await clock.advanceAsync(1000);
  await refused;
  await bounded.close();
});

test('while the broker is slow, no more than the memory of the pool is taken; the rest waits', async () => {
  const clock = new ManualClock();
  const { producer, sent, holding, state } = fakeProducer();
  const bounded = boundedProducer(producer, clock);
  state.holds = true;
  const value = 'x'.repeat(1024 * 1024);
  let delivered = 0;
  const sends = Array.from({ length: 100 }, async (_, at) => {
    await bounded.send(`topic-${at}`, { key: '', value });
    delivered += 1;
  });
  await clock.advanceAsync(10);
  expect([sent.length, delivered]).toEqual([5, 0]);
  // 31 of 1 MiB and some bytes each fit into 32 MiB; what is delivered makes room for what waits.
  while (delivered < 100) {
    for (const letGo of holding.splice(0)) letGo();
    await clock.advanceAsync(10);
  }
  await Promise.all(sends);
  expect(sent).toHaveLength(100);
  await bounded.close();
});

test('an append that finds no memory within its time fails, instead of growing the heap', async () => {
  const clock = new ManualClock();
  const { producer, holding, state } = fakeProducer();
  const bounded = boundedProducer(producer, clock);
  state.holds = true;
  const value = 'x'.repeat(16 * 1024 * 1024);
  const outcomes = ['a', 'b', 'c'].map((topic) =>
    bounded.send(topic, { key: '', value }).then(
      () => 'delivered',
      (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
    ),
  );
  await clock.advanceAsync(60_000);
  for (const letGo of holding.splice(0)) letGo();
  await clock.advanceAsync(10);
  expect(await Promise.all(outcomes)).toEqual([
    'delivered',
    'BufferExhaustedError',
    'BufferExhaustedError',
  ]);
  await bounded.close();
});
