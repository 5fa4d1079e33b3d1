import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { SingleFlight } from '../../src/index.ts';

test('all who ask at the same time share one load, whoever gives up', async () => {
  const flights = new SingleFlight<number>();
  const answer = Promise.withResolvers<number>();
  let loads = 0;
  const load = (): Promise<number> => {
    loads += 1;
    return answer.promise;
  };
  const controller = new AbortController();
  const reason = new Error('enough');
  const leaving = flights.run('k', load, controller.signal);
  const staying = flights.run('k', load);
  const other = new AbortController();
  const alsoStaying = flights.run('k', load, other.signal);
  controller.abort(reason);
  await expect(leaving).rejects.toBe(reason);
  answer.resolve(5);
  expect(await Promise.all([staying, alsoStaying])).toEqual([5, 5]);
  expect(loads).toBe(1);
  expect(getEventListeners(other.signal, 'abort')).toHaveLength(0);
  expect(flights.size).toBe(0);
});

test('a load that nobody waits for may fail in peace', async () => {
  const flights = new SingleFlight<number>();
  const answer = Promise.withResolvers<number>();
  const controller = new AbortController();
  const leaving = flights.run('k', () => answer.promise, controller.signal);
  leaving.catch(() => undefined);
  controller.abort(new Error('enough'));
  answer.reject(new Error('late'));
  await expect(leaving).rejects.toThrow('enough');
  await expect(flights.run('k', async () => 1)).resolves.toBe(1);
});

test('a load that throws at once is a rejection, and the next starts anew', async () => {
  const flights = new SingleFlight<number>();
  const broken = flights.run('k', () => {
    throw new Error('at once');
  });
  await expect(broken).rejects.toThrow('at once');
  await expect(flights.run('k', async () => 2)).resolves.toBe(2);
});

test('nothing is loaded for a signal that aborted before', async () => {
  const flights = new SingleFlight<number>();
  const reason = new Error('enough');
  let loads = 0;
  const load = async (): Promise<number> => (loads += 1);
  await expect(flights.run('k', load, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(loads).toBe(0);
});
