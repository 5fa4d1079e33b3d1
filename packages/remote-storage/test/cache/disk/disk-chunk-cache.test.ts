import { mkdir, open, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DiskChunkCache } from '../../../src/cache/disk/disk-chunk-cache.ts';
import { idOf } from '../chunk-fixture.ts';
import { diskSetUp, FILE_BYTES, failingFiles } from './disk-fixture.ts';

/** A cache that has looked through its directory. */
async function ready(cache: DiskChunkCache): Promise<DiskChunkCache> {
  await cache.get(idOf('nothing', 0));
  return cache;
}

test('chunks are found again by the next process, and the directory is for its owner alone (S8)', async () => {
  const { open: openCache, put, isKept, names, memory, directory } = await diskSetUp();
  const first = await ready(openCache());
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect(first.stats()).toMatchObject({ entries: 0, bytes: 0 });
  for (const index of [0, 1, 2]) put(first, idOf('a/b c', index));
  // Also before the file is there.
  expect(await isKept(first, idOf('a/b c', 1))).toBe(true);
  await first.close();
  expect(memory.stats().grantedBytes).toBe(0);
  expect(await names()).toHaveLength(3);
  const second = openCache();
  for (const index of [0, 1, 2]) expect(await isKept(second, idOf('a/b c', index))).toBe(true);
  expect(await isKept(second, idOf('a/b d', 1))).toBe(false);
  expect(second.stats()).toMatchObject({ entries: 3, bytes: 3 * FILE_BYTES, hits: 3, misses: 1 });
  await second.close();
});

test('it is bounded by the bytes of its files, the longest unused going first, also over a restart (S11)', async () => {
  const { open: openCache, put, isKept, names, clock } = await diskSetUp();
  const first = await ready(openCache({ maxBytes: 3 * FILE_BYTES }));
  for (const index of [0, 1, 2]) {
    clock.advance(70_000);
    put(first, idOf('a', index));
    await first.get(idOf('none', index));
  }
  await first.close();
  const second = await ready(openCache({ maxBytes: 3 * FILE_BYTES }));
  clock.advance(70_000);
  expect(await isKept(second, idOf('a', 0))).toBe(true);
  await second.close();
  const third = await ready(openCache({ maxBytes: 2 * FILE_BYTES }));
  expect(third.stats()).toMatchObject({ entries: 2, bytes: 2 * FILE_BYTES, evictions: 1 });
  expect(await isKept(third, idOf('a', 1))).toBe(false);
  expect(await isKept(third, idOf('a', 0))).toBe(true);
  expect(await isKept(third, idOf('a', 2))).toBe(true);
  await third.close();
  expect(await names()).toHaveLength(2);
});

test('a chunk that nobody used for so long is dropped', async () => {
  const { open: openCache, put, isKept, names, clock } = await diskSetUp();
  const cache = await ready(openCache({ retentionMs: 1_000 }));
  put(cache, idOf('a', 0));
  put(cache, idOf('a', 1));
  await cache.close();
  clock.advance(999);
  const second = openCache({ retentionMs: 1_000 });
  expect(await isKept(second, idOf('a', 0))).toBe(true);
  clock.advance(500);
  expect(await isKept(second, idOf('a', 0))).toBe(true);
  expect(await isKept(second, idOf('a', 1))).toBe(false);
  await second.close();
  expect(await names()).toHaveLength(1);
});

test('files of every step at which a process may have died are removed, or found whole (S11)', async () => {
  const { open: openCache, put, isKept, names, directory } = await diskSetUp();
  const first = await ready(openCache());
  put(first, idOf('a', 0));
  await first.close();
  const [name = ''] = await names();
  const whole = await readFile(join(directory, name));
  const sequence = (number: number): string => name.replace(/-\d+\.chunk$/, `-${number}.chunk`);
  // Begun; half written; written and not renamed; the new one there and the old one not yet removed.
  await writeFile(join(directory, `${sequence(1)}.tmp`), '');
  await writeFile(join(directory, `${sequence(2)}.tmp`), whole.subarray(0, 500));
  await writeFile(join(directory, `${sequence(3)}.tmp`), whole);
  await writeFile(join(directory, sequence(4)), whole);
  await utimes(join(directory, sequence(4)), 1, 1);
  const second = await ready(openCache({ retentionMs: Number.POSITIVE_INFINITY }));
  expect(second.stats()).toMatchObject({ entries: 1, bytes: FILE_BYTES, damaged: 3 });
  expect(await isKept(second, idOf('a', 0))).toBe(true);
  await second.close();
  expect(await names()).toHaveLength(1);
});

test.each([
  ['the magic', 0],
  ['the version', 7],
  ['the digest of the key', 10],
  ['the digest of the place', 30],
  ['the length', 42],
  ['the checksum', 45],
  ['what is reserved', 50],
  ['the checksum of the header', 61],
  ['the first byte', 64],
  ['the middle', 500],
  ['the last byte', FILE_BYTES - 1],
])(
  'a bit that turned in %s is noticed, the file removed, and the chunk loaded anew',
  async (_, at) => {
    const { open: openCache, put, isKept, names, directory, memory } = await diskSetUp();
    const first = await ready(openCache());
    put(first, idOf('a', 0));
    await first.close();
    const flip = async (): Promise<void> => {
      const [name = ''] = await names();
      const file = await open(join(directory, name), 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, at);
      byte[0] = (byte[0] ?? 0) ^ 0x10;
      await file.write(byte, 0, 1, at);
      await file.close();
    };
    // While a process knows the file already, and before the next one begins.
    const second = await ready(openCache());
    await flip();
    expect(await isKept(second, idOf('a', 0))).toBe(false);
    expect(second.stats()).toMatchObject({ entries: 0, bytes: 0, damaged: 1 });
    put(second, idOf('a', 0));
    await second.close();
    expect(await names()).toHaveLength(1);
    await flip();
    const third = openCache();
    expect(await isKept(third, idOf('a', 0))).toBe(false);
    expect(third.stats()).toMatchObject({ entries: 0, damaged: 1 });
    await third.close();
    expect(await names()).toHaveLength(0);
    expect(memory.stats().grantedBytes).toBe(0);
  },
);

test.each([0, 63, 64, 65, 1_000])('a file that was cut to %i bytes is no chunk', async (bytes) => {
  const { open: openCache, put, isKept, names, directory } = await diskSetUp();
  const first = await ready(openCache());
  put(first, idOf('a', 0));
  await first.close();
  const second = await ready(openCache());
  const [name = ''] = await names();
  await truncate(join(directory, name), bytes);
  expect(await isKept(second, idOf('a', 0))).toBe(false);
  await second.close();
  expect(await names()).toHaveLength(0);
});

test('what is not its own is left alone, and named once', async () => {
  const { open: openCache, names, directory, warnings } = await diskSetUp();
  await mkdir(directory, { recursive: true });
  const foreign = ['notes.txt', 'x.chunk', 'chunk.tmp', 'zz-1-1.chunk'];
  for (const name of foreign) await writeFile(join(directory, name), 'mine');
  await mkdir(join(directory, 'folder'));
  const cache = await ready(openCache());
  await cache.close();
  expect(await names()).toEqual([...foreign, 'folder'].sort());
  expect(warnings).toEqual([
    {
      message: 'The directory of the chunk cache holds files that are not its own',
      fields: { directory, count: 5, names: [...foreign, 'folder'].sort() },
    },
  ]);
});

test('a log object that was forgotten is gone, also what of it is still being written', async () => {
  const { open: openCache, put, isKept, names, memory } = await diskSetUp();
  const cache = await ready(openCache());
  put(cache, idOf('a', 0));
  await cache.get(idOf('none', 0));
  put(cache, idOf('a', 1));
  put(cache, idOf('b', 0));
  cache.forget('a');
  expect(await isKept(cache, idOf('a', 0))).toBe(false);
  expect(await isKept(cache, idOf('a', 1))).toBe(false);
  put(cache, idOf('a', 1));
  expect(await isKept(cache, idOf('a', 1))).toBe(true);
  await cache.close();
  expect(await names()).toHaveLength(2);
  expect(memory.stats().grantedBytes).toBe(0);
});

test('a segment that was cut anew does not get its former chunks', async () => {
  const { open: openCache, put, isKept } = await diskSetUp();
  const cache = await ready(openCache());
  put(cache, idOf('a', 0));
  const anew = { ...idOf('a', 0), place: { ...idOf('a', 0).place, storedBytes: 1_028 } };
  expect(cache.has(anew)).toBe(false);
  expect(await isKept(cache, anew)).toBe(false);
  await cache.close();
});

test.each([
  ['full', 'open', 'ENOSPC'],
  ['not to be written to', 'open', 'EACCES'],
  ['full at the last step', 'rename', 'ENOSPC'],
] as const)(
  'a disk that is %s is done without: no error, one warning a minute, a counter',
  async (_, operation, code) => {
    const { files, fails } = failingFiles();
    const { open: openCache, put, isKept, names, warnings, clock, memory } = await diskSetUp();
    const cache = await ready(openCache({ files }));
    fails.set(operation, code);
    for (let index = 0; index < 5; index += 1) {
      put(cache, idOf('a', index));
      await new Promise(setImmediate);
    }
    // Until all of them have failed.
    while (cache.stats().failures < 5) await new Promise(setImmediate);
    expect(warnings).toHaveLength(1);
    clock.advance(60_000);
    put(cache, idOf('a', 9));
    while (cache.stats().failures < 6) await new Promise(setImmediate);
    expect(warnings).toHaveLength(2);
    expect(cache.stats()).toMatchObject({ entries: 0, bytes: 0 });
    fails.clear();
    put(cache, idOf('a', 0));
    expect(await isKept(cache, idOf('a', 0))).toBe(true);
    await cache.close();
    expect(await names()).toHaveLength(1);
    expect(memory.stats().grantedBytes).toBe(0);
  },
);

test('a chunk that cannot be read any more is a miss', async () => {
  const { files, fails } = failingFiles();
  const { open: openCache, put, isKept, memory } = await diskSetUp();
  const first = await ready(openCache());
  put(first, idOf('a', 0));
  await first.close();
  const second = await ready(openCache({ files }));
  fails.set('open', 'EIO');
  expect(await isKept(second, idOf('a', 0))).toBe(false);
  expect(second.stats()).toMatchObject({ entries: 0, failures: 1 });
  await second.close();
  expect(memory.stats().grantedBytes).toBe(0);
});

test.each(['makeDirectory', 'list'] as const)(
  'a directory that cannot be had (%s) turns the cache off, with a warning',
  async (operation) => {
    const { files, fails } = failingFiles();
    fails.set(operation, 'EACCES');
    const { open: openCache, put, isKept, warnings, memory } = await diskSetUp();
    const cache = await ready(openCache({ files }));
    put(cache, idOf('a', 0));
    expect(await isKept(cache, idOf('a', 0))).toBe(false);
    expect(warnings.map(({ message }) => message)).toEqual([
      'The chunk cache cannot use its directory, and is off',
    ]);
    expect(cache.stats()).toMatchObject({ bypassed: 1, failures: 1 });
    await cache.close();
    expect(memory.stats().grantedBytes).toBe(0);
  },
);

test('chunks that come faster than the disk takes them are not kept waiting for', async () => {
  const { open: openCache, put, memory } = await diskSetUp();
  const cache = await ready(openCache({ maxPendingBytes: 2 * FILE_BYTES }));
  for (let index = 0; index < 10; index += 1) put(cache, idOf('a', index));
  expect(cache.stats()).toMatchObject({ entries: 2, bypassed: 8 });
  expect(memory.stats().grantedBytes).toBe(2_000);
  await cache.close();
  expect(memory.stats().grantedBytes).toBe(0);
});

test('files are for their owner alone', async () => {
  const { open: openCache, put, names, directory } = await diskSetUp();
  const cache = await ready(openCache());
  put(cache, idOf('a', 0));
  await cache.close();
  const [name = ''] = await names();
  expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
});
