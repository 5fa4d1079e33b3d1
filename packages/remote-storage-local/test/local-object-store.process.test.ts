import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '@logloft/clock';
import { collectBytes, memorySource } from '@logloft/remote-storage';
import { contextWith, seededBytes } from '@logloft/remote-storage-testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalObjectStore } from '../src/index.ts';

const run = promisify(execFile);
const FLAGS = ['--experimental-strip-types', '--conditions=@logloft/source'];
const program = (name: string): string =>
  fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url));

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-local-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function killAfter(objects: number): Promise<number> {
  const writer = spawn(process.execPath, [...FLAGS, program('writer-process'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    written = Number(line);
    if (written >= objects) writer.kill('SIGKILL');
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
  return written;
}

test('after a kill every object that was reported is there whole, and no other bytes are seen', async () => {
  for (const objects of [1, 4, 9]) {
    const written = await killAfter(objects);
    expect(written).toBeGreaterThanOrEqual(objects);
    const store = await LocalObjectStore.open({ root: directory }, contextWith(systemClock, 1));
    const found = new Map<string, number>();
    for await (const { key, size } of store.list()) found.set(key, size);
    for (const [key, size] of found) {
      const number = Number(/(\d+)-[ab]$/.exec(key)?.[1]);
      const bytes = await collectBytes(await store.get(key), size);
      const expected = seededBytes(number, 150_000 + (number % 7) * 50_000);
      expect(Buffer.from(bytes).equals(expected), key).toBe(true);
    }
    for (let number = 1; number <= written; number += 1) {
      expect(found.has(`objects/${number % 5}/${number}-a`)).toBe(true);
      expect(found.has(`objects/${number % 5}/${number}-b`)).toBe(true);
    }
    expect(await readdir(join(directory, '.logloft-tmp'))).toEqual([]);
    await store.delete([...found.keys()]);
    expect(await readdir(directory)).toEqual(['.logloft-tmp']);
  }
});

test('copying a large segment and reading it back takes the memory of a few pieces', async () => {
  const bytes = 128 * 1024 * 1024;
  const { stdout } = await run(process.execPath, [
    ...FLAGS,
    program('copy-process'),
    directory,
    String(bytes),
  ]);
  const { read, before, after } = JSON.parse(stdout);
  expect(read).toBe(bytes);
  expect(after - before).toBeLessThan(48 * 1024 * 1024);
});

test('a full disk is said to be full, nothing is left of the object, and there is room again after a deletion', async (context) => {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'none', directory]);
  } catch {
    context.skip('a small file system can be mounted only by root');
  }
  try {
    const store = await LocalObjectStore.open({ root: directory }, contextWith(systemClock, 1));
    await store.put('kept', memorySource(seededBytes(1, 2_000_000)));
    await expect(store.put('large', memorySource(seededBytes(2, 2_000_000)))).rejects.toMatchObject(
      {
        kind: 'full',
        code: 'LOGLOFT_REMOTE_FULL',
        retryable: false,
      },
    );
    expect(await readdir(join(directory, '.logloft-tmp'))).toEqual([]);
    expect((await store.head('kept')).size).toBe(2_000_000);
    await store.delete(['kept']);
    await store.put('large', memorySource(seededBytes(2, 2_000_000)));
    expect((await store.head('large')).size).toBe(2_000_000);
  } finally {
    await run('umount', [directory]);
  }
});
