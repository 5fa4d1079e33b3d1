import { getEventListeners } from 'node:events';
import { randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { RemoteStorageError, RequestBrake } from '../../src/index.ts';

const throttled = (): Promise<never> =>
  Promise.reject(new RemoteStorageError('throttled', 'slow down'));

/** A request that ends when it is told to. */
function held(): { request: () => Promise<void>; end: (failure?: Error) => void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return {
    request: () => promise,
    end: (failure) => (failure === undefined ? resolve() : reject(failure)),
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

test('lets as many requests go as are allowed, and the others in the order of their arrival', async () => {
  const brake = new RequestBrake({ maxInFlight: 2 });
  const begun: number[] = [];
  const requests = [0, 1, 2, 3].map(() => held());
  const running = requests.map(({ request }, index) =>
    brake.run(async () => {
      begun.push(index);
      await request();
    }),
  );
  await turns();
  expect(begun).toEqual([0, 1]);
  requests[1]?.end();
  await turns();
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of requests) end();
  await Promise.all(running);
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(brake.inFlight).toBe(0);
});

test('a throttled burst halves what may go at one time once, however many of it fail', async () => {
  const brake = new RequestBrake({ maxInFlight: 8 });
  const burst = Array.from({ length: 8 }, () => held());
  const running = burst.map(({ request }) => brake.run(request).catch(() => undefined));
  for (const { end } of burst) end(new RemoteStorageError('throttled', 'slow down'));
  await Promise.all(running);
  expect(brake.allowed).toBe(4);
});

test('what counts is what was in flight, not what was allowed', async () => {
  const brake = new RequestBrake({ maxInFlight: 64 });
  const burst = Array.from({ length: 6 }, () => held());
  const running = burst.map(({ request }) => brake.run(request).catch(() => undefined));
  for (const { end } of burst) end(new RemoteStorageError('throttled', 'slow down'));
  await Promise.all(running);
  expect(brake.allowed).toBe(3);
});

test('never stops: one request may always go', async () => {
  const brake = new RequestBrake({ maxInFlight: 4 });
  for (let count = 0; count < 20; count += 1) {
    await brake.run(throttled).catch(() => undefined);
  }
  expect(brake.allowed).toBe(1);
  await expect(brake.run(async () => 'answer')).resolves.toBe('answer');
});

test('comes back by one for each round of requests that succeed, and no further than its bound', async () => {
  const brake = new RequestBrake({ maxInFlight: 4 });
  await brake.run(throttled).catch(() => undefined);
  await brake.run(throttled).catch(() => undefined);
  expect(brake.allowed).toBe(1);
  await brake.run(async () => undefined);
  expect(brake.allowed).toBe(2);
  for (let count = 0; count < 3; count += 1) await brake.run(async () => undefined);
  expect(brake.allowed).toBe(3);
  for (let count = 0; count < 100; count += 1) await brake.run(async () => undefined);
  expect(brake.allowed).toBe(4);
});

test('other failures say nothing about how busy the store is', async () => {
  const brake = new RequestBrake({ maxInFlight: 4 });
  const failing = (): Promise<never> => Promise.reject(new RemoteStorageError('timeout', 'late'));
  await expect(brake.run(failing)).rejects.toThrow('late');
  expect(brake.allowed).toBe(4);
});

test('who gives up while it waits leaves the queue, and its signal without a listener', async () => {
  const brake = new RequestBrake({ maxInFlight: 1 });
  const first = held();
  const running = brake.run(first.request);
  const controller = new AbortController();
  const reason = new Error('no longer wanted');
  const waiting = brake.run(() => Promise.reject(new Error('must not begin')), controller.signal);
  const after = brake.run(async () => 'answer', new AbortController().signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  first.end();
  await running;
  await expect(after).resolves.toBe('answer');
});

test.each([1, 2, 3, 4, 5])(
  'holds its bound under any order of ends and failures (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const brake = new RequestBrake({ maxInFlight: 6 });
    const open: ReturnType<typeof held>[] = [];
    const running: Promise<unknown>[] = [];
    let most = 0;
    for (let step = 0; step < 400; step += 1) {
      if (randomBelow(random, 2) === 0) {
        const one = held();
        running.push(
          brake
            .run(() => {
              open.push(one);
              return one.request();
            })
            .catch(() => undefined),
        );
      } else {
        const [ended] = open.splice(randomBelow(random, Math.max(1, open.length)), 1);
        const fails = randomBelow(random, 4) === 0;
        ended?.end(fails ? new RemoteStorageError('throttled', 'slow down') : undefined);
      }
      await turns();
      most = Math.max(most, open.length);
      expect(brake.inFlight).toBe(open.length);
      expect(brake.allowed).toBeGreaterThanOrEqual(1);
    }
    while (open.length > 0 || brake.inFlight > 0) {
      open.pop()?.end();
      await turns();
    }
    await Promise.all(running);
    expect(most).toBeLessThanOrEqual(6);
    expect(most).toBeGreaterThan(1);
  },
);

test.each([0, -1, 1.5, Number.NaN])('refuses a bound of %d', (maxInFlight) => {
  expect(() => new RequestBrake({ maxInFlight })).toThrow('At least one request');
});
