import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CacheFiles, diskFiles } from '../../../src/cache/disk/cache-files.ts';
import {
  DiskChunkCache,
  type DiskChunkCacheOptions,
} from '../../../src/cache/disk/disk-chunk-cache.ts';
import { CHUNK, chunkSetUp } from '../chunk-fixture.ts';

/** Bytes of a chunk's file. */
export const FILE_BYTES: number = CHUNK + 64;

/** A directory that goes with the test, and caches in it. */
export async function diskSetUp() {
  const parent = await mkdtemp(join(tmpdir(), 'logloft-chunk-cache-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const directory = join(parent, 'made', 'by', 'it');
  const { clock, memory, ...rest } = chunkSetUp();
  const warnings: { message: string; fields: unknown }[] = [];
  const silent = (): void => undefined;
  const logger = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (message: string, fields: unknown) => void warnings.push({ message, fields }),
  };
  const open = (
    options: Partial<DiskChunkCacheOptions> & { readonly files?: CacheFiles } = {},
  ): DiskChunkCache => {
    const { files, ...bounds } = options;
    return new DiskChunkCache(
      { directory, maxBytes: 100 * FILE_BYTES, retentionMs: 1_000_000, ...bounds },
      { clock, logger, memory, files },
    );
  };
  const names = async (): Promise<string[]> => (await readdir(directory)).sort();
  return { directory, clock, memory, warnings, open, names, ...rest };
}

/** Files of which some operations fail, as a test says at the time. */
export function failingFiles(): { files: CacheFiles; fails: Map<keyof CacheFiles, string> } {
  const fails = new Map<keyof CacheFiles, string>();
  const check = (operation: keyof CacheFiles): void => {
    const code = fails.get(operation);
    if (code !== undefined) throw Object.assign(new Error(`${code}: injected`), { code });
  };
  const files: CacheFiles = {
    makeDirectory: async (path) => {
      check('makeDirectory');
      await diskFiles.makeDirectory(path);
    },
    list: async (path) => {
      check('list');
      return await diskFiles.list(path);
    },
    open: async (path, flags) => {
      check('open');
      return await diskFiles.open(path, flags);
    },
    rename: async (from, to) => {
      check('rename');
      await diskFiles.rename(from, to);
    },
    remove: async (path) => {
      check('remove');
      await diskFiles.remove(path);
    },
  };
  return { files, fails };
}
