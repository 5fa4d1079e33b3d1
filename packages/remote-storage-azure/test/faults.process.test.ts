import { type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import {
  collectBytes,
  GuardedObjectStore,
  memorySource,
  type ObjectStore,
} from '@logloft/remote-storage';
import { ruledProxyFaults, seededBytes, seededProxyFaults } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { silentContext } from './support/containers.ts';
import { faultyAzurite, QUICK_RETRIES } from './support/faulty-azurite.ts';
import { failureOf } from './support/waiting.ts';

const BLOCK = 64 * 1024;
const openFaulty = faultyAzurite();

// So many attempts that chance cannot use them up.
const PATIENT = { ...QUICK_RETRIES, maxAttempts: 20 };

interface Step {
  readonly store: ObjectStore;
  readonly model: Map<string, Uint8Array>;
  readonly random: RandomSource;
  readonly key: string;
}

async function write({ store, model, random, key }: Step): Promise<void> {
  const bytes = seededBytes(random.nextUint32(), randomBelow(random, 6 * BLOCK));
  await store.put(key, memorySource(bytes));
  model.set(key, bytes);
}

async function read({ store, model, random, key }: Step): Promise<void> {
  const start = randomBelow(random, 2 * BLOCK);
  const end = start + randomBelow(random, 4 * BLOCK);
  const reading = store
    .get(key, { start, end })
    .then((pieces) => collectBytes(pieces, 100 * BLOCK));
  const expected = model.get(key)?.subarray(start, end + 1);
  if (expected === undefined) {
    expect((await failureOf(reading)).kind).toBe('not-found');
  } else if (expected.byteLength === 0) {
    expect((await failureOf(reading)).kind).toBe('bad-range');
  } else expect(Buffer.from(await reading).equals(expected)).toBe(true);
}

async function remove({ store, model, key }: Step): Promise<void> {
  await store.delete([key, 'never-was']);
  model.delete(key);
}

describe('through a proxy that breaks every third request', () => {
  test.each([1, 2, 3, 4, 5, 6])('what was written is what is read (seed %d)', async (seed) => {
    const opened = await openFaulty({ blockBytes: BLOCK, retryPolicy: PATIENT });
    const { proxy, container } = opened;
    const context = silentContext();
    const store = new GuardedObjectStore(opened.store, context, { retryPolicy: PATIENT });
    const random = seededRandom(seed);
    const model = new Map<string, Uint8Array>();
    proxy.use(seededProxyFaults(seed, { rate: 0.3 }));
    for (let step = 0; step < 25; step += 1) {
      const act = [write, read, remove][randomBelow(random, 3)];
      await act?.({ store, model, random, key: `key-${randomBelow(random, 3)}` });
    }
    const there: string[] = [];
    for await (const { key } of store.list()) there.push(key);
    expect(there).toEqual([...model.keys()].toSorted());
    proxy.use(ruledProxyFaults([]));
    for (const [key, bytes] of model) {
      const found = await container.getBlobClient(key).downloadToBuffer();
      expect(found.equals(bytes)).toBe(true);
    }
    expect(proxy.log.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(5);
  });
});

describe('memory', () => {
  test('ten uploads share the memory of four blocks, and all end', async () => {
    const { store, container } = await openFaulty({
      blockBytes: BLOCK,
      uploadMemoryBytes: 4 * BLOCK,
      blocksInFlight: 4,
    });
    const objects = Array.from({ length: 10 }, (_, index) => seededBytes(index, 6 * BLOCK + index));
    await Promise.all(
      objects.map((bytes, index) => store.put(`object-${index}`, memorySource(bytes))),
    );
    for (const [index, bytes] of objects.entries()) {
      const found = await container.getBlobClient(`object-${index}`).downloadToBuffer();
      expect(found.equals(bytes)).toBe(true);
    }
  });

  test('an upload that ends badly gives its memory back', async () => {
    const { store, breakWith } = await openFaulty({
      blockBytes: BLOCK,
      uploadMemoryBytes: 2 * BLOCK,
    });
    const source = memorySource(seededBytes(1, 6 * BLOCK));
    breakWith({ fault: { type: 'status', status: 403 } });
    for (let round = 0; round < 10; round += 1) {
      await expect(store.put('object', source)).rejects.toMatchObject({ kind: 'denied' });
    }
    breakWith({ fault: { type: 'blackhole' } });
    for (let round = 0; round < 10; round += 1) {
      const controller = new AbortController();
      const writing = store.put('object', source, { signal: controller.signal });
      setImmediate(() => controller.abort(new Error('no longer wanted')));
      await expect(writing).rejects.toThrow('no longer wanted');
    }
    breakWith();
    await store.put('object', source);
    expect((await store.head('object')).size).toBe(6 * BLOCK);
  });
});
