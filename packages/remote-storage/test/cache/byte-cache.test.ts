import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { ByteCache } from '../../src/cache/byte-cache.ts';

function setUp(maxBytes: number, retentionMs = 1_000) {
  const clock = new ManualClock();
  return { clock, cache: new ByteCache({ clock, maxBytes, retentionMs }) };
}

test('the longest unused array goes when there is no room', () => {
  const { cache } = setUp(10);
  cache.put('a', new Uint8Array(4));
  cache.put('b', new Uint8Array(4));
  cache.get('a');
  cache.put('c', new Uint8Array(4));
  expect(
    [cache.get('a'), cache.get('b'), cache.get('c')].map((bytes) => bytes?.byteLength),
  ).toEqual([4, undefined, 4]);
  expect(cache).toMatchObject({ bytes: 8, size: 2, evictions: 1, evictedBytes: 4 });
  cache.put('a', new Uint8Array(6));
  expect(cache.bytes).toBe(10);
  cache.forget('a');
  cache.forget('a');
  expect(cache.bytes).toBe(4);
});

test('an array that is larger than all the room is not kept, and pushes nothing out', () => {
  const { cache } = setUp(10);
  cache.put('a', new Uint8Array(10));
  cache.put('b', new Uint8Array(11));
  expect(cache.get('a')).toBeDefined();
  expect(cache.get('b')).toBeUndefined();
  const none = setUp(0).cache;
  none.put('a', new Uint8Array(1));
  expect(none.size).toBe(0);
});

test('an array that nobody used for so long is dropped', () => {
  const { cache, clock } = setUp(100);
  cache.put('a', new Uint8Array(1));
  clock.advance(999);
  expect(cache.get('a')).toBeDefined();
  cache.put('b', new Uint8Array(1));
  clock.advance(1_000);
  expect(cache.get('a')).toBeUndefined();
  cache.put('c', new Uint8Array(1));
  expect(cache.size).toBe(1);
  expect(clock.pendingTimers).toBe(0);
});
