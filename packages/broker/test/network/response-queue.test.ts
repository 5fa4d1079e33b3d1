import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type OutgoingResponse, ResponseQueue } from '../../src/network/response-queue.ts';

function counted(): OutgoingResponse & { released: number } {
  const response = {
    chunks: [],
    released: 0,
    release: () => {
      response.released += 1;
    },
  };
  return response;
}

test('answers leave in the order of their places, those without bytes included', () => {
  const left: OutgoingResponse[] = [];
  const queue = new ResponseQueue((response) => left.push(response));
  const [first, second, third] = [queue.reserve(), queue.reserve(), queue.reserve()];
  const [a, c] = [counted(), counted()];
  third(c);
  second(undefined);
  expect(left).toEqual([]);
  expect(queue.pending).toBe(3);
  first(a);
  expect(left).toEqual([a, c]);
  expect(queue.pending).toBe(0);
});

test('a place is filled once', () => {
  const left: OutgoingResponse[] = [];
  const queue = new ResponseQueue((response) => left.push(response));
  const fill = queue.reserve();
  fill(counted());
  fill(counted());
  expect(left).toHaveLength(1);
});

test('when the connection is gone every answer gives its memory back, also one that becomes ready later', () => {
  const queue = new ResponseQueue(() => undefined);
  const [, second, third] = [queue.reserve(), queue.reserve(), queue.reserve()];
  const [ready, late] = [counted(), counted()];
  second(ready);
  queue.discard();
  third(late);
  expect([ready.released, late.released]).toEqual([1, 1]);
});

test('answers that have left are forgotten, though a client that pipelines never lets the queue become empty', async () => {
  const left = new Map<number, WeakRef<OutgoingResponse>>();
  const queue = new ResponseQueue((response) => left.set(left.size, new WeakRef(response)));
  let fill = queue.reserve();
  for (let request = 0; request < 400; request += 1) {
    const fillNext = queue.reserve();
    fill({ chunks: [] });
    fill = fillNext;
  }
  expect(queue.pending).toBe(1);
  // What a WeakRef was made for in a turn is kept until the turn ends.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const kept = [...left.values()].filter((response) => response.deref() !== undefined);
  expect(kept.length).toBeLessThan(200);
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
