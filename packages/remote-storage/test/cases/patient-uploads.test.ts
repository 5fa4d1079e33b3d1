import { seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import {
  GuardedObjectStore,
  memorySource,
  type PutOptions,
  partMemory,
  RequestBrake,
  type SegmentSource,
  uploadParts,
} from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { manualContext } from '../segment-fixture.ts';

// S22 and S29 of the known cases: uploads wait for memory that others hold, and for their turn while the
// store is throttled. However long that is, they are not dead, and must not be begun anew.

const PART = 1_000;
const IDLE_MS = 30_000;

function setUp({ parts, brake }: { readonly parts: number; readonly brake?: RequestBrake }) {
  const context = manualContext();
  const { clock } = context;
  const memory = partMemory({ clock, totalBytes: parts * PART, partBytes: PART });
  const sent: string[] = [];
  let isSilent = false;
  class SlowStore extends MapObjectStore {
    override async put(key: string, source: SegmentSource, options: PutOptions = {}) {
      await uploadParts(source, {
        ...options,
        memory,
        brake,
        partBytes: PART,
        maxInFlight: 2,
        retry: { clock, random: seededRandom(1) },
        send: async ({ index }, signal) => {
          sent.push(`${key}/${index}`);
          // A slow line, on which a byte moves each second.
          for (let second = 0; second < (isSilent ? 1_000 : 25); second += 1) {
            await new Promise<void>((resolve) => clock.setTimer(1_000, resolve));
            signal.throwIfAborted();
            if (!isSilent) options.onProgress?.(0);
          }
        },
      });
    }
  }
  const store = new GuardedObjectStore(new SlowStore({ paced: true }), context, {
    idleTimeoutMs: IDLE_MS,
  });
  const put = (key: string, signal?: AbortSignal): Promise<void> =>
    store.put(key, memorySource(new Uint8Array(2 * PART)), { signal });
  const fallSilent = (): void => {
    isSilent = true;
  };
  return { ...context, memory, sent, put, fallSilent };
}

async function allAfter(puts: readonly Promise<void>[], pass: () => Promise<void>) {
  const outcomes = Promise.allSettled(puts);
  await pass();
  return await Promise.race([outcomes, Promise.resolve('still waiting')]);
}

test('uploads that wait for memory longer than silence may last go on when it is there (S22)', async () => {
  const { clock, sent, memory, put, warnings } = setUp({ parts: 1 });
  const puts = Array.from({ length: 6 }, (_, number) => put(String(number)));
  const outcomes = await allAfter(puts, () => clock.advanceAsync(12 * 25_000 + 1_000));
  expect(outcomes).toEqual(puts.map(() => ({ status: 'fulfilled', value: undefined })));
  expect(sent).toHaveLength(12);
  expect(warnings).toEqual([]);
  expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
  expect(clock.pendingTimers).toBe(0);
});

test('uploads that wait for their turn at a throttled store go on when it comes (S29)', async () => {
  const brake = new RequestBrake({ maxInFlight: 1 });
  const { clock, sent, put, warnings } = setUp({ parts: 100, brake });
  const puts = Array.from({ length: 6 }, (_, number) => put(String(number)));
  const outcomes = await allAfter(puts, () => clock.advanceAsync(12 * 25_000 + 1_000));
  expect(outcomes).toEqual(puts.map(() => ({ status: 'fulfilled', value: undefined })));
  expect(sent).toHaveLength(12);
  expect(warnings).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test('uploads that wait end with their signal, and leave no timer', async () => {
  const brake = new RequestBrake({ maxInFlight: 1 });
  for (const options of [{ parts: 1 }, { parts: 100, brake }]) {
    const { clock, put } = setUp(options);
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const puts = Array.from({ length: 3 }, (_, number) => put(String(number), controller.signal));
    await clock.advanceAsync(10_000);
    controller.abort(reason);
    const outcomes = await allAfter(puts, () => clock.advanceAsync(2_000));
    expect(outcomes).toEqual(puts.map(() => ({ status: 'rejected', reason })));
    await clock.advanceAsync(2_000);
    expect(clock.pendingTimers).toBe(0);
  }
});

test('an upload whose own bytes do not move is silent all the same', async () => {
  const { clock, sent, put, fallSilent } = setUp({ parts: 4 });
  fallSilent();
  const outcomes = await allAfter([put('a')], () => clock.advanceAsync(4 * IDLE_MS));
  expect(outcomes).toMatchObject([{ status: 'rejected', reason: { kind: 'timeout' } }]);
  // Two parts at a time, three times.
  expect(sent).toHaveLength(6);
});
