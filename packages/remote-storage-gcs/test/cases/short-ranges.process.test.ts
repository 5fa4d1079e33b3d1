import { collectBytes } from '@logloft/remote-storage';
import { expect, test } from 'vitest';
import { bytesOf, openStub } from '../support/open-store.ts';

// A range that is cut to what there is tells how much there is. One that ends sooner than that was cut by
// somebody on the way, and what it lacks must not go unnoticed.

test.each([
  ['fewer bytes than there are', 'bytes 10-19/100', 10],
  ['fewer bytes than were asked for, of an object that is not told', 'bytes 10-19/*', 10],
  ['bytes beyond the object', 'bytes 10-29/25', 20],
])('a range that is answered with %s is not taken for whole', async (_, range, length) => {
  await using opened = await openStub();
  const { stub, store } = opened;
  const headers = { 'content-range': range, 'x-goog-generation': '1' };
  const body = bytesOf(1, length);
  stub.failures.add({ action: { kind: 'answer', status: 206, body, headers } });
  const reading = store.get('object', { start: 10, end: 49 });
  const failing = reading.then((pieces) => collectBytes(pieces, 100));
  await expect(failing).rejects.toMatchObject({ key: 'object', retryable: false });
});

test('a range without an end of an object that is not told is what there is', async () => {
  await using opened = await openStub();
  const { stub, store } = opened;
  const headers = { 'content-range': 'bytes 90-99/*', 'x-goog-generation': '1' };
  const body = bytesOf(1, 10);
  stub.failures.add({ action: { kind: 'answer', status: 206, body, headers } });
  const found = await collectBytes(await store.get('object', { start: 90 }), 100);
  expect(body.equals(found)).toBe(true);
});
