import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import type { CacheFiles } from '../../../src/cache/disk/cache-files.ts';
import type { DiskChunkCache } from '../../../src/cache/disk/disk-chunk-cache.ts';
import { idOf } from '../chunk-fixture.ts';
import { diskSetUp, FILE_BYTES, failingFiles } from './disk-fixture.ts';

const STEPS = 80;
const OPERATIONS: readonly (keyof CacheFiles)[] = ['open', 'rename', 'remove'];

/** Turns a bit of a file of the cache, or cuts it. */
async function damage(random: RandomSource, directory: string): Promise<void> {
  const names = await readdir(directory);
  const name = names[randomBelow(random, Math.max(1, names.length))];
  if (name === undefined) return;
  // It may be gone by now.
  const file = await open(join(directory, name), 'r+').catch(() => undefined);
  if (file === undefined) return;
  try {
    const at = randomBelow(random, FILE_BYTES);
    const byte = Buffer.alloc(1);
    const { bytesRead } = await file.read(byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ (1 << randomBelow(random, 8));
    if (randomBelow(random, 3) === 0) await file.truncate(at);
    else if (bytesRead === 1) await file.write(byte, 0, 1, at);
  } finally {
    await file.close();
  }
}

async function bytesIn(directory: string): Promise<number> {
  const names = await readdir(directory);
  const sizes = await Promise.all(names.map((name) => stat(join(directory, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

type World = Awaited<ReturnType<typeof diskSetUp>> & {
  readonly random: RandomSource;
  readonly fails: Map<keyof CacheFiles, string>;
  readonly reopen: () => Promise<DiskChunkCache>;
};

async function step(the: World, cache: DiskChunkCache): Promise<DiskChunkCache> {
  const { random, fails, clock, put, isKept, directory } = the;
  const id = idOf(`log-${randomBelow(random, 3)}`, randomBelow(random, 6));
  switch (randomBelow(random, 12)) {
    case 0:
      return await the.reopen();
    case 1:
      await damage(random, directory);
      break;
    case 2:
      cache.forget(id.object);
      break;
    case 3:
      fails.set(OPERATIONS[randomBelow(random, 3)] ?? 'open', 'EIO');
      break;
    case 4:
    case 5:
      fails.clear();
      break;
    case 6:
      clock.advance(randomBelow(random, 40_000));
      break;
    case 7:
    case 8:
    case 9:
      put(cache, id);
      break;
    default:
      // Throws when the bytes are not those of the chunk.
      await isKept(cache, id);
  }
  return cache;
}

test.each(Array.from({ length: 25 }, (_, seed) => seed))(
  'whatever happens to files, disk and process, no wrong byte is given, and the bound holds (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const setUp = await diskSetUp();
    const { files, fails } = failingFiles();
    const maxBytes = (1 + randomBelow(random, 8)) * FILE_BYTES;
    let cache = setUp.open({ files, maxBytes, retentionMs: 100_000 });
    const reopen = async (): Promise<DiskChunkCache> => {
      await cache.close();
      fails.clear();
      return setUp.open({ files, maxBytes, retentionMs: 100_000 });
    };
    const the = { ...setUp, random, fails, reopen };
    await cache.get(idOf('none', 0));
    for (let count = 0; count < STEPS; count += 1) {
      cache = await step(the, cache);
      expect(cache.stats().bytes).toBeLessThanOrEqual(maxBytes);
    }
    // What could not be removed while the disk failed is, at the latest, at the next start.
    cache = await reopen();
    await cache.get(idOf('none', 0));
    await cache.close();
    expect(await bytesIn(setUp.directory)).toBeLessThanOrEqual(maxBytes);
    expect(setUp.memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
  },
);
