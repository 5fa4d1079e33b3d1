import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBelow, seededRandom } from '@logloft/clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectBytes, fileSource, memorySource } from '../src/index.ts';
import { concatenatedSource } from '../src/layout/concatenated-source.ts';

const BYTES = seededRandom(3).fill(new Uint8Array(1_500_000));
let directory: string;
let path: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-source-'));
  path = join(directory, 'file');
  await writeFile(path, BYTES);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test('a file and memory give the same bytes for the same ranges', async () => {
  const random = seededRandom(4);
  const file = await fileSource(path);
  expect(file).toMatchObject({ size: BYTES.byteLength, path });
  for (let round = 0; round < 30; round += 1) {
    const start = randomBelow(random, BYTES.byteLength);
    const end = start + randomBelow(random, BYTES.byteLength);
    const found = await collectBytes(file.read({ start, end }), BYTES.byteLength);
    const expected = await collectBytes(memorySource(BYTES).read({ start, end }), BYTES.byteLength);
    expect(Buffer.from(found).equals(expected)).toBe(true);
    expect(Buffer.from(found).equals(BYTES.subarray(start, end + 1))).toBe(true);
  }
});

test('pieces are bounded, share one buffer, and can be read again', async () => {
  const source = await fileSource(path);
  for (let round = 0; round < 2; round += 1) {
    const buffers = new Set<ArrayBufferLike>();
    let total = 0;
    for await (const piece of source.read({ start: 0 })) {
      expect(piece.byteLength).toBeLessThanOrEqual(256 * 1024);
      buffers.add(piece.buffer);
      total += piece.byteLength;
    }
    expect(total).toBe(BYTES.byteLength);
    expect(buffers.size).toBe(1);
  }
});

test('two readings at once have buffers of their own', async () => {
  const source = await fileSource(path);
  const first = source.read({ start: 0 })[Symbol.asyncIterator]();
  const second = source.read({ start: 500_000 })[Symbol.asyncIterator]();
  const a = await first.next();
  const b = await second.next();
  expect(a.value?.buffer).not.toBe(b.value?.buffer);
  expect(Buffer.from(a.value ?? []).equals(BYTES.subarray(0, 262_144))).toBe(true);
  await first.return?.();
  await second.return?.();
});

test('a reading ends with its signal, before and between pieces', async () => {
  const source = await fileSource(path);
  const reason = new Error('enough');
  const early = source.read({ start: 0 }, { signal: AbortSignal.abort(reason) });
  await expect(collectBytes(early, BYTES.byteLength)).rejects.toBe(reason);
  const controller = new AbortController();
  const { signal } = controller;
  const iterator = source.read({ start: 0 }, { signal })[Symbol.asyncIterator]();
  await iterator.next();
  controller.abort(reason);
  await expect(iterator.next()).rejects.toBe(reason);
});

test('only so many bytes count as are asked for, and a file that has fewer is damage', async () => {
  const source = await fileSource(path, { size: 1_000 });
  expect(await collectBytes(source.read({ start: 990 }), 10)).toHaveLength(10);
  await expect(fileSource(path, { size: BYTES.byteLength + 1 })).rejects.toMatchObject({
    kind: 'corrupt',
  });
  const shrinking = join(directory, 'shrinking');
  await writeFile(shrinking, BYTES.subarray(0, 100));
  const promised = await fileSource(shrinking);
  await truncate(shrinking, 50);
  const reading = collectBytes(promised.read({ start: 0 }), 100);
  await expect(reading).rejects.toMatchObject({ kind: 'corrupt' });
});

test('a local file that is missing is never taken for a segment that is not found', async () => {
  await expect(fileSource(join(directory, 'missing'))).rejects.toMatchObject({ kind: 'corrupt' });
  const source = await fileSource(path);
  const gone = join(directory, 'gone');
  await writeFile(gone, 'x');
  const promised = await fileSource(gone);
  await rm(gone);
  await expect(collectBytes(promised.read({ start: 0 }), 1)).rejects.toMatchObject({
    kind: 'corrupt',
  });
  expect(source.size).toBeGreaterThan(0);
});

test('nothing is read of a source of no bytes, and a range beyond the end is refused', async () => {
  const empty = join(directory, 'empty');
  await writeFile(empty, '');
  for (const source of [await fileSource(empty), memorySource(new Uint8Array(0))]) {
    expect(await collectBytes(source.read({ start: 0 }), 1)).toHaveLength(0);
    await expect(collectBytes(source.read({ start: 1 }), 1)).rejects.toMatchObject({
      kind: 'bad-range',
    });
  }
});

test('sources one after the other read like one', async () => {
  const parts = [0, 1, 5, 0, 3].map((size, index) => new Uint8Array(size).fill(index));
  const whole = Buffer.concat(parts);
  const source = concatenatedSource(parts.map(memorySource));
  expect(source.size).toBe(9);
  for (let start = 0; start < 9; start += 1) {
    for (let end = start; end < 12; end += 1) {
      const found = await collectBytes(source.read({ start, end }), 9);
      expect([...found]).toEqual([...whole.subarray(start, end + 1)]);
    }
  }
  const nothing = concatenatedSource([]);
  expect(await collectBytes(nothing.read({ start: 0 }), 1)).toHaveLength(0);
});
