import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool, type BufferPoolOptions } from '../src/index.ts';

function makePool(options: Partial<BufferPoolOptions> = {}) {
  return new BufferPool(
    { totalBytes: 100, poolableBytes: 10, ...options },
    { clock: new ManualClock() },
  );
}

test.each([10, 7])(
  'a second release of a buffer of %s bytes is refused, and changes nothing',
  (size) => {
    const pool = makePool();
    const buffer = pool.tryAllocate(size);
    pool.deallocate(buffer);
    const before = pool.stats();
    expect(() => pool.deallocate(buffer)).toThrow(
      expect.objectContaining({ code: 'LOGLOFT_POOL_DOUBLE_RELEASE', retryable: false }),
    );
    expect(pool.stats()).toEqual(before);
  },
);

test('buffers of nobody, of another pool, and parts of an own one are refused', () => {
  const pool = makePool();
  const own = pool.tryAllocate(10);
  const others = [Buffer.alloc(10), makePool().tryAllocate(10), own?.subarray(0, 10)];
  for (const buffer of others) {
    expect(() => pool.deallocate(buffer)).toThrow(
      expect.objectContaining({ code: 'LOGLOFT_POOL_FOREIGN_BUFFER' }),
    );
  }
  expect(pool.stats().grantedBytes).toBe(10);
});

test('a release of less or more than the whole is refused', () => {
  const pool = makePool();
  const buffer = pool.tryAllocate(10);
  for (const size of [0, 9, 11]) {
    expect(() => pool.deallocate(buffer, size)).toThrow(
      expect.objectContaining({ code: 'LOGLOFT_POOL_SIZE_MISMATCH' }),
    );
  }
  pool.deallocate(buffer, 10);
  expect(pool.stats().availableBytes).toBe(100);
});

test('nothing is released by releasing nothing', () => {
  const pool = makePool();
  pool.deallocate(undefined);
  pool.deallocate(null);
  expect(pool.stats().availableBytes).toBe(100);
});

test('under kafka semantics the word of the caller is taken, unless it is no integer', () => {
  const pool = makePool({ semantics: 'kafka' });
  const buffer = pool.tryAllocate(50);
  pool.deallocate(buffer, 40);
  expect(pool.stats().availableBytes).toBe(90);
  pool.deallocate(Buffer.alloc(10));
  expect(pool.stats()).toMatchObject({ availableBytes: 100, freeBuffers: 1 });
  expect(() => pool.deallocate(buffer, Number.NaN)).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_POOL_INVALID_SIZE' }),
  );
  expect(pool.stats().availableBytes).toBe(100);
});

test('a buffer whose memory was transferred away counts in full, and is not used again', () => {
  const pool = makePool();
  const buffer = pool.tryAllocate(10);
  structuredClone(buffer?.buffer, { transfer: [buffer?.buffer as ArrayBuffer] });
  expect(buffer).toHaveLength(0);
  pool.deallocate(buffer);
  expect(pool.stats()).toMatchObject({ availableBytes: 100, freeBuffers: 0 });
});

test('the note that the pool keeps on a buffer is not seen in listings of the buffer', () => {
  const buffer = makePool().tryAllocate(3)?.fill(1);
  expect(buffer).toEqual(Buffer.of(1, 1, 1));
  expect(Object.getOwnPropertySymbols({ ...buffer })).toEqual([]);
});
