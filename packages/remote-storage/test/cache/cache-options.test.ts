import { expect, test } from 'vitest';
import { CACHE_OPTION_PARSERS, cacheOptionsOf } from '../../src/cache/cache-options.ts';
import { planChunkCache } from '../../src/cache/open-chunk-cache.ts';
import { readLayoutOptions, readPluginOptions } from '../../src/index.ts';

const MIB = 1024 * 1024;

function read(options: Readonly<Record<string, string>>) {
  return cacheOptionsOf(readPluginOptions(options, CACHE_OPTION_PARSERS));
}

test('the defaults are those of the documentation', () => {
  expect(read({})).toEqual({
    chunkCache: undefined,
    chunkCacheBytes: undefined,
    chunkCacheRetentionMs: 600_000,
    chunkCachePath: undefined,
    prefetchMaxBytes: 16 * MIB,
    chunkTimeoutMs: 10_000,
    readMemoryBytes: undefined,
    indexCacheBytes: 10 * MIB,
    indexCacheRetentionMs: 600_000,
    indexTimeoutMs: 10_000,
    manifestTimeoutMs: 10_000,
  });
});

test("settings of Aiven's plugin are understood as they are", () => {
  const options = {
    'fetch.chunk.cache.class': 'io.aiven.kafka.tieredstorage.fetch.cache.DiskChunkCache',
    'fetch.chunk.cache.path': '/var/cache/chunks',
    'fetch.chunk.cache.size': '16777216',
    'fetch.chunk.cache.retention.ms': '-1',
    'fetch.chunk.cache.prefetch.max.size': '0',
    'fetch.chunk.cache.get.timeout.ms': '500',
    'fetch.chunk.cache.thread.pool.size': '8',
    'fetch.indexes.cache.size': '-1',
    'fetch.indexes.cache.retention.ms': '5',
    'fetch.indexes.cache.get.timeout.ms': '6',
    'fetch.indexes.cache.thread.pool.size': '0',
    'fetch.manifest.cache.get.timeout.ms': '7',
    'fetch.manifest.cache.thread.pool.size': '1',
  };
  expect(read(options)).toEqual({
    chunkCache: 'disk',
    chunkCacheBytes: 16 * MIB,
    chunkCacheRetentionMs: Number.POSITIVE_INFINITY,
    chunkCachePath: '/var/cache/chunks',
    prefetchMaxBytes: 0,
    chunkTimeoutMs: 500,
    readMemoryBytes: undefined,
    indexCacheBytes: Number.POSITIVE_INFINITY,
    indexCacheRetentionMs: 5,
    indexTimeoutMs: 6,
    manifestTimeoutMs: 7,
  });
  expect(readLayoutOptions(options).cache).toEqual(read(options));
});

test.each([
  ['fetch.chunk.cache.class', 'Redis'],
  ['fetch.chunk.cache.class', 'constructor'],
  ['fetch.chunk.cache.size', '0'],
  ['fetch.chunk.cache.size', '-2'],
  ['fetch.chunk.cache.retention.ms', '0'],
  ['fetch.chunk.cache.get.timeout.ms', '0'],
  ['fetch.chunk.cache.get.timeout.ms', 'soon'],
  ['fetch.chunk.cache.thread.pool.size', '2000'],
  ['fetch.memory.size', '0'],
])('%s=%s is refused, naming the option', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(
    expect.objectContaining({
      kind: 'invalid-configuration',
      message: expect.stringContaining(name),
    }),
  );
});

test('a mistyped name is answered with the nearest one', () => {
  expect(() => readLayoutOptions({ 'fetch.chunks.cache.path': '/x' })).toThrow(
    'Did you mean "fetch.chunk.cache.path"?',
  );
});

const REMOTE = { readUnitBytes: 4 * MIB, chunkBytes: 4 * MIB };
const NEAR = { readUnitBytes: 0, chunkBytes: 4 * MIB };

test('a store whose reads cost by the request gets a cache in memory, and no other does unasked', () => {
  expect(planChunkCache({}, REMOTE)).toMatchObject({ kind: 'memory', maxBytes: 64 * MIB });
  expect(planChunkCache({ chunkCache: 'none' }, REMOTE).kind).toBe('none');
  expect(planChunkCache({}, NEAR).kind).toBe('none');
  expect(planChunkCache({ chunkCacheBytes: 4 * MIB }, NEAR)).toMatchObject({
    kind: 'memory',
    maxBytes: 4 * MIB,
  });
  expect(planChunkCache({ chunkCachePath: '/x', chunkCacheBytes: 4 * MIB }, NEAR).kind).toBe(
    'disk',
  );
  const large = planChunkCache({}, { ...REMOTE, chunkBytes: 100 * MIB });
  expect(large.maxBytes).toBeGreaterThanOrEqual(400 * MIB);
});

test.each([
  ['less than a chunk', { chunkCacheBytes: 4 * MIB - 1 }],
  ['no number', { chunkCacheBytes: Number.NaN }],
  ['no bound in memory', { chunkCacheBytes: Number.POSITIVE_INFINITY }],
  ['a disk without a path', { chunkCache: 'disk', chunkCacheBytes: 4 * MIB }],
  ['a disk with an empty path', { chunkCachePath: ' ', chunkCacheBytes: 4 * MIB }],
  ['a disk without a size', { chunkCachePath: '/x' }],
] as const)('a cache with %s is refused when it is configured (S12)', (_, options) => {
  expect(() => planChunkCache(options, REMOTE)).toThrow(
    expect.objectContaining({ kind: 'invalid-configuration' }),
  );
});
