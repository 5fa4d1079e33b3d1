import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gatherInput } from '../../src/demo/input-files.ts';

let root = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'input-files-test-'));
  await mkdir(join(root, 'b'));
  await writeFile(join(root, 'c.bin'), Buffer.from([0, 1, 2]));
  await writeFile(join(root, 'b', 'a.txt'), 'hello');
  await writeFile(join(root, 'a.txt'), 'world');
  await writeFile(join(root, 'empty'), '');
  await symlink(root, join(root, 'loop'));
});

afterAll(async () => {
  await rm(root, { recursive: true });
});

it('takes every file of a directory of one’s own, sorted, without following links', async () => {
  const { files, bytes } = await gatherInput({ path: root, sizeBytes: 1_000 });
  expect(files.map(({ name }) => name)).toEqual(['a.txt', 'b/a.txt', 'c.bin']);
  expect(bytes).toBe(13);
});

it('stops at the size, in the middle of a file if need be', async () => {
  const { files, bytes } = await gatherInput({ path: root, sizeBytes: 7 });
  expect(files.map((file) => file.bytes.toString())).toEqual(['world', 'he']);
  expect(bytes).toBe(7);
});

it('takes a single file', async () => {
  const { files } = await gatherInput({ path: join(root, 'a.txt'), sizeBytes: 1_000 });
  expect(files.map(({ name }) => name)).toEqual(['a.txt']);
});

it('takes text of the installed dependencies by default, each under a name of its own', async () => {
  const { files, bytes } = await gatherInput({ path: undefined, sizeBytes: 300_000 });
  expect(bytes).toBe(300_000);
  expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
  for (const file of files) expect(file.bytes.includes(0)).toBe(false);
});

it('says when there is nothing to send', async () => {
  await expect(gatherInput({ path: join(root, 'empty'), sizeBytes: 9 })).rejects.toThrow(
    'There is nothing to send',
  );
  await expect(gatherInput({ path: join(root, 'no'), sizeBytes: 9 })).rejects.toThrow(
    '--input cannot be read: ENOENT',
  );
});
