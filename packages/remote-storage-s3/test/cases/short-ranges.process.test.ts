import { collectBytes } from '@logloft/remote-storage';
import { seededBytes } from '@logloft/remote-storage-testkit';
import { expect, test } from 'vitest';
import { BUCKET, failureOf, openStubStore } from '../support/stub-store.ts';

// A range that is cut to what there is tells how much there is. One that ends sooner than that was cut by
// somebody on the way, and what it lacks must not go unnoticed.

const BYTES = seededBytes(1, 100);

test.each([
  ['fewer bytes than there are', 'bytes 10-19/100', 10],
  ['fewer bytes than were asked for, of an object that is not told', 'bytes 10-19/*', 10],
  ['bytes beyond the object', 'bytes 10-29/25', 20],
])('a range that is answered with %s is not taken for whole', async (_, range, length) => {
  const { stub, store } = await openStubStore();
  stub.failures.add({
    operation: 'GetObject',
    action: {
      kind: 'answer',
      status: 206,
      body: BYTES.subarray(10, 10 + length),
      headers: { 'Content-Range': range, ETag: '"x"' },
    },
  });
  const reading = store.get('object', { start: 10, end: 49 });
  const failure = await failureOf(reading.then((pieces) => collectBytes(pieces, 100)));
  expect(failure).toMatchObject({ kind: 'corrupt', key: 'object' });
});

test.each([
  ['an end beyond the object', { start: 90, end: 1_000 }, 'bytes 90-99/100'],
  ['no end', { start: 90 }, 'bytes 90-99/100'],
  ['no end, of an object that is not told', { start: 90 }, 'bytes 90-99/*'],
])('a range with %s is what there is', async (_, range, header) => {
  const { stub, store } = await openStubStore();
  stub.failures.add({
    operation: 'GetObject',
    action: {
      kind: 'answer',
      status: 206,
      body: BYTES.subarray(90),
      headers: { 'Content-Range': header, ETag: '"x"' },
    },
  });
  const found = await collectBytes(await store.get('object', range), 100);
  expect(found).toEqual(Uint8Array.from(BYTES.subarray(90)));
  expect(stub.objects(BUCKET)).toEqual([]);
});
