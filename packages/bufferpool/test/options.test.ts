import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BUFFER_POOL_DEFAULTS, BufferPool } from '../src/index.ts';

const context = { clock: new ManualClock() };
const fine = { totalBytes: 100, poolableBytes: 10 };

test.each([
  ['totalBytes', { ...fine, totalBytes: 0 }],
  ['totalBytes', { ...fine, totalBytes: 2 ** 53 }],
  ['totalBytes', { ...fine, totalBytes: Number.NaN }],
  ['poolableBytes', { ...fine, poolableBytes: -1 }],
  ['poolableBytes', { ...fine, poolableBytes: 1.5 }],
  ['poolableBytes', { ...fine, poolableBytes: 101, sizeClasses: [20] }],
  ['maxWaiters', { ...fine, maxWaiters: -1 }],
  ['maxWaiters', { ...fine, maxWaiters: Number.NaN }],
  ['sizeClasses', { ...fine, sizeClasses: [0] }],
  ['sizeClasses', { ...fine, sizeClasses: [101] }],
  ['sizeClasses', { ...fine, sizeClasses: [20], semantics: 'kafka' as const }],
])('%s is checked, and named when it is wrong', (name, options) => {
  expect(() => new BufferPool(options, context)).toThrow(
    expect.objectContaining({
      code: 'LOGLOFT_POOL_INVALID_OPTIONS',
      message: expect.stringContaining(name),
    }),
  );
});

test('options from outside TypeScript are checked as well', () => {
  const wrong: [string, object][] = [
    ['semantics', { semantics: 'fair' }],
    ['createBuffer', { createBuffer: 5 }],
    ['diagnostics', { diagnostics: 'yes' }],
    ['sizeClasses', { sizeClasses: 16 }],
    ['totalBytes', { totalBytes: '100' }],
  ];
  for (const [name, options] of wrong) {
    expect(() => new BufferPool({ ...fine, ...options }, context)).toThrow(name);
  }
});

test('the defaults are those of the table', async () => {
  expect(BUFFER_POOL_DEFAULTS).toEqual({
    maxWaiters: 10_000,
    semantics: 'strict',
    diagnostics: false,
  });
  const pool = new BufferPool({ ...fine, totalBytes: 1 }, context);
  await pool.allocate(1);
  for (let i = 0; i < 10_000; i += 1) pool.allocate(1, { maxBlockMs: 5 }).catch(() => undefined);
  await expect(pool.allocate(1)).rejects.toMatchObject({ kind: 'too-many-waiters' });
  await pool.close();
});

test('memory beyond 2 GiB in the free list is counted right', async () => {
  // No memory is taken: the buffers only say how long they are.
  const GIB = 2 ** 30;
  const pool = new BufferPool(
    {
      totalBytes: 3 * GIB,
      poolableBytes: GIB,
      semantics: 'kafka',
      createBuffer: (size) => Object.defineProperty(Buffer.alloc(0), 'length', { value: size }),
    },
    context,
  );
  const buffers = [await pool.allocate(GIB), await pool.allocate(GIB), await pool.allocate(GIB)];
  for (const buffer of buffers) pool.deallocate(buffer);
  expect(pool.stats()).toMatchObject({ freeBuffers: 3, availableBytes: 3 * GIB });
  await expect(pool.allocate(1000, { maxBlockMs: 0 })).resolves.toHaveLength(1000);
});
