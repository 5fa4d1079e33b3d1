import { type RandomSource, randomBelow, seededRandom, systemClock } from '@logloft/clock';
import {
  collectBytes,
  GuardedObjectStore,
  memorySource,
  type ObjectStore,
} from '@logloft/remote-storage';
import {
  contextWith,
  ruledProxyFaults,
  seededBytes,
  seededProxyFaults,
  startFaultProxy,
} from '@logloft/remote-storage-testkit';
import { startS3Stub } from '@logloft/stub-servers';
import { expect, test } from 'vitest';
import { S3ObjectStore } from '../src/index.ts';
import { BUCKET, failureOf, PART_BYTES } from './support/stub-store.ts';

// So many attempts that chance cannot use them up.
const PATIENT = {
  maxAttempts: 20,
  baseDelayMs: 1,
  throttledBaseDelayMs: 1,
  maxDelayMs: 5,
  maxRetryAfterMs: 1_000,
};
const SMALL = 200_000;

interface Step {
  readonly store: ObjectStore;
  readonly model: Map<string, Uint8Array>;
  readonly random: RandomSource;
  readonly key: string;
}

async function write({ store, model, random, key }: Step): Promise<void> {
  const isLarge = randomBelow(random, 3) === 0;
  const size = randomBelow(random, SMALL) + (isLarge ? 2 * PART_BYTES : 0);
  const bytes = seededBytes(random.nextUint32(), size);
  await store.put(key, memorySource(bytes));
  model.set(key, bytes);
}

async function read({ store, model, random, key }: Step): Promise<void> {
  const start = randomBelow(random, SMALL / 2);
  const end = start + randomBelow(random, 2 * PART_BYTES);
  const reading = store
    .get(key, { start, end })
    .then((pieces) => collectBytes(pieces, 4 * PART_BYTES));
  const whole = model.get(key);
  if (whole === undefined) {
    expect(await failureOf(reading)).toMatchObject({ kind: 'not-found' });
    return;
  }
  const expected = whole.subarray(start, end + 1);
  if (expected.byteLength === 0) {
    expect(await failureOf(reading)).toMatchObject({ kind: 'bad-range' });
  } else expect(Buffer.from(await reading).equals(expected)).toBe(true);
}

async function remove({ store, model, key }: Step): Promise<void> {
  await store.delete([key, 'never-was']);
  model.delete(key);
}

test.each([1, 2, 3, 4])(
  'through a proxy that breaks every third request, what was written is what is read (seed %d)',
  async (seed) => {
    await using stub = await startS3Stub({ buckets: [BUCKET] });
    await using proxy = await startFaultProxy({ target: stub.url });
    const context = contextWith(systemClock, seed);
    const { credentials } = stub;
    const inner = new S3ObjectStore(
      {
        bucket: BUCKET,
        connection: { endpoint: proxy.url, credentials },
        partBytes: PART_BYTES,
        requestTimeoutMs: 500,
        idleTimeoutMs: 500,
        retryPolicy: PATIENT,
      },
      context,
    );
    await using store = new GuardedObjectStore(inner, context, { retryPolicy: PATIENT });
    const random = seededRandom(seed);
    const model = new Map<string, Uint8Array>();
    proxy.use(seededProxyFaults(seed, { rate: 0.3 }));
    for (let step = 0; step < 25; step += 1) {
      const act = [write, read, remove][randomBelow(random, 3)];
      await act?.({ store, model, random, key: `key-${randomBelow(random, 3)}` });
    }
    const there: string[] = [];
    for await (const { key } of inner.list()) there.push(key);
    expect(there).toEqual([...model.keys()].toSorted());
    proxy.use(ruledProxyFaults([]));
    for (const [key, bytes] of model) {
      expect(stub.object(BUCKET, key)?.bytes().equals(Buffer.from(bytes))).toBe(true);
    }
    // What a lost answer left unfinished is found by the clean-up.
    await inner.removeUnfinished({ olderThanMs: 0 });
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
    expect(proxy.log.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(5);
  },
);
