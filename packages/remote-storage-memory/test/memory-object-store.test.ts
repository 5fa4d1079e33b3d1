import { memorySource } from '@logloft/remote-storage';
import { failingSource, gatedSource, seededBytes } from '@logloft/remote-storage-testkit';
import { expect, test } from 'vitest';
import { createObjectStore, MemoryObjectStore } from '../src/index.ts';

const kind = (name: string): unknown => expect.objectContaining({ kind: name });
const bytes = (length: number) => memorySource(seededBytes(1, length));

test('an object that does not fit into the budget is refused, and what is there stays', async () => {
  const store = new MemoryObjectStore({ maxBytes: 1_000 });
  await store.put('a', bytes(600));
  await expect(store.put('b', bytes(401))).rejects.toMatchObject({
    kind: 'full',
    code: 'LOGLOFT_REMOTE_FULL',
    retryable: false,
    message: expect.stringContaining('needs 401 bytes, but 400 of 1000 are left'),
  });
  await store.put('b', bytes(400));
  expect(store.usedBytes).toBe(1_000);
  expect((await store.head('a')).size).toBe(600);
});

test('the budget is given back by deletion, replacement, failure and abort, to the byte', async () => {
  const store = new MemoryObjectStore({ maxBytes: 10_000 });
  await store.put('a', bytes(4_000));
  await store.put('a', bytes(1_000));
  expect(store.usedBytes).toBe(1_000);
  await expect(
    store.put('b', failingSource(seededBytes(1, 5_000), new Error('gone'))),
  ).rejects.toThrow('gone');
  expect(store.usedBytes).toBe(1_000);
  const controller = new AbortController();
  const gated = gatedSource(seededBytes(1, 6_000));
  const writing = store.put('c', gated.source, { signal: controller.signal });
  await gated.reached;
  expect(store.usedBytes).toBe(7_000);
  controller.abort(new Error('enough'));
  await expect(writing).rejects.toThrow('enough');
  await expect(store.put('a', bytes(10), { ifAbsent: true })).rejects.toEqual(kind('precondition'));
  expect(store.usedBytes).toBe(1_000);
  await store.delete(['a', 'a', 'missing']);
  expect(store.usedBytes).toBe(0);
});

test('an object being written takes its bytes at once, so that writers together stay within the budget', async () => {
  const store = new MemoryObjectStore({ maxBytes: 1_000 });
  const gated = gatedSource(seededBytes(1, 700));
  const writing = store.put('a', gated.source);
  await gated.reached;
  await expect(store.put('b', bytes(301))).rejects.toEqual(kind('full'));
  gated.open();
  await writing;
  expect(store.usedBytes).toBe(700);
});

test('a source that promises more than there can be is refused before memory is taken', async () => {
  const store = new MemoryObjectStore({ maxBytes: 1_000 });
  for (const size of [2 ** 40, Number.MAX_SAFE_INTEGER]) {
    await expect(store.put('a', { ...bytes(1), size })).rejects.toEqual(kind('full'));
  }
  for (const size of [-1, 0.5, Number.NaN]) {
    await expect(store.put('a', { ...bytes(1), size })).rejects.toEqual(kind('corrupt'));
  }
  expect(store.usedBytes).toBe(0);
});

test('closing while an object is being written ends well', async () => {
  const store = new MemoryObjectStore({ maxBytes: 1_000 });
  const gated = gatedSource(seededBytes(1, 700));
  const writing = store.put('a', gated.source);
  await gated.reached;
  await store.close();
  gated.open();
  await expect(writing).rejects.toEqual(kind('aborted'));
  expect(store.usedBytes).toBe(0);
});

test('what was stored does not change with the memory it came from', async () => {
  const store = new MemoryObjectStore();
  const source = Uint8Array.of(1, 2, 3);
  await store.put('a', memorySource(source));
  source.fill(9);
  for await (const piece of await store.get('a')) expect([...piece]).toEqual([1, 2, 3]);
});

test('the plugin takes max.bytes, and nothing else', async () => {
  expect(createObjectStore({ 'max.bytes': '123' }).capabilities.maxObjectBytes).toBe(123);
  expect(createObjectStore({}).capabilities.maxObjectBytes).toBe(512 * 1024 * 1024);
  const invalid = kind('invalid-configuration');
  expect(() => createObjectStore({ 'max.byte': '1' })).toThrow(/Did you mean "max.bytes"/);
  for (const text of ['0', '-1', '1.5', 'much', '9007199254740992']) {
    expect(() => createObjectStore({ 'max.bytes': text })).toThrow(invalid);
  }
  expect(() => new MemoryObjectStore({ maxBytes: 0 })).toThrow(invalid);
});
