import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { collectBytes, memorySource, type ObjectStore } from '@logloft/remote-storage';
import {
  failingSource,
  gatedSource,
  seededBytes,
  testContext,
} from '@logloft/remote-storage-testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createObjectStore, LocalObjectStore } from '../src/index.ts';

const TEMP = '.logloft-tmp';
const BYTES = seededBytes(1, 200_000);

let outside: string;
let root: string;
let store: LocalObjectStore;

beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'logloft-local-'));
  root = join(outside, 'root');
  store = await LocalObjectStore.open({ root }, testContext(1));
});

afterEach(() => rm(outside, { recursive: true, force: true }));

const put = (key: string, bytes: Uint8Array = BYTES): Promise<void> =>
  store.put(key, memorySource(bytes));

async function keys(of: ObjectStore = store): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of of.list()) found.push(key);
  return found;
}

const kind = (name: string): unknown => expect.objectContaining({ kind: name });

describe('places', () => {
  test('an object is a file of its own name below the root', async () => {
    await put('topic/0/00000000000000000000-id.log');
    const file = join(root, 'topic/0/00000000000000000000-id.log');
    expect(Buffer.from(BYTES).equals(await readFile(file))).toBe(true);
  });

  test('the root may be reached through links, and is created with all above it', async () => {
    const link = join(outside, 'link');
    await symlink(root, link);
    const linked = await LocalObjectStore.open({ root: link }, testContext(2));
    expect(linked.root).toBe(store.root);
    await put('a');
    expect(await keys(linked)).toEqual(['a']);
    const deep = join(outside, 'not/yet/there');
    expect((await LocalObjectStore.open({ root: deep }, testContext(2))).root).toBe(deep);
  });

  test.each([`${TEMP}/a`, TEMP, 'a/b.logloft-more/c', 'x.logloft-more'])(
    'the name %s is kept for the store itself',
    async (key) => {
      await expect(put(key)).rejects.toEqual(kind('invalid-configuration'));
      await expect(store.get(key)).rejects.toEqual(kind('invalid-configuration'));
    },
  );

  test('names longer than a file name can be are spread, listed in order, and removed', async () => {
    const long = 'x'.repeat(250);
    const wanted = [
      `${long}-`,
      `${long}-a/b`,
      `${long}/b`,
      `${long}0`,
      `${long}${'é'.repeat(200)}`,
      `${'x'.repeat(242)}y`,
      'z',
    ];
    for (const key of wanted) await put(key, new Uint8Array(1));
    expect(await keys()).toEqual(
      wanted.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    await store.delete(wanted);
    expect(await readdir(root)).toEqual([TEMP]);
  });

  test('of an object and a directory of one name the second is refused, and nothing is left of it', async () => {
    await put('a/b');
    await expect(put('a')).rejects.toEqual(kind('invalid-configuration'));
    await expect(put('a/b/c')).rejects.toEqual(kind('invalid-configuration'));
    expect(await keys()).toEqual(['a/b']);
    expect(await readdir(join(root, TEMP))).toEqual([]);
  });

  test('directories go with their last object, and not while anything is in them', async () => {
    await put('a/b/c/one');
    await put('a/two');
    await store.delete(['a/b/c/one']);
    expect(await readdir(join(root, 'a'))).toEqual(['two']);
    await writeFile(join(root, 'a/.foreign'), 'x');
    await store.delete(['a/two']);
    expect(await readdir(join(root, 'a'))).toEqual(['.foreign']);
  });
});

describe('links and other strangers', () => {
  test('a directory that is a link is not followed, neither to read nor to write nor to delete', async () => {
    const elsewhere = join(outside, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'secret'), 'x');
    await symlink(elsewhere, join(root, 'link'));
    await expect(put('link/new')).rejects.toEqual(kind('denied'));
    await expect(put('link/deep/new')).rejects.toEqual(kind('denied'));
    await expect(store.get('link/secret')).rejects.toEqual(kind('denied'));
    await expect(store.head('link/secret')).rejects.toEqual(kind('denied'));
    await expect(store.delete(['link/secret'])).rejects.toEqual(kind('denied'));
    expect(await readdir(elsewhere)).toEqual(['secret']);
    expect(await keys()).toEqual([]);
  });

  test('an object that is a link is not followed, and goes without what it leads to', async () => {
    const secret = join(outside, 'secret');
    await writeFile(secret, 'x');
    await symlink(secret, join(root, 'link'));
    await expect(store.get('link')).rejects.toEqual(kind('denied'));
    await expect(store.head('link')).rejects.toEqual(kind('denied'));
    expect(await keys()).toEqual([]);
    await put('link');
    expect(await readFile(secret, 'utf8')).toBe('x');
    expect(await keys()).toEqual(['link']);
  });

  test('a named pipe is no object, and nobody waits for it', async () => {
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    await expect(store.get('pipe')).rejects.toEqual(kind('not-found'));
    await expect(store.head('pipe')).rejects.toEqual(kind('not-found'));
    expect(await keys()).toEqual([]);
  });

  test.skipIf(process.getuid?.() === 0)('what may not be read or written is denied', async () => {
    await put('locked/object');
    await chmod(join(root, 'locked'), 0);
    await expect(store.get('locked/object')).rejects.toEqual(kind('denied'));
    await expect(put('locked/other')).rejects.toEqual(kind('denied'));
    await chmod(join(root, 'locked'), 0o700);
  });

  test('a root that is not there any more is said to be missing, and nothing counts as deleted', async () => {
    await put('object');
    await rename(root, `${root}-unmounted`);
    await mkdir(root);
    const missing = kind('container-missing');
    await expect(put('object')).rejects.toEqual(missing);
    await expect(store.get('object')).rejects.toEqual(missing);
    await expect(store.head('object')).rejects.toEqual(missing);
    await expect(store.delete(['object'])).rejects.toEqual(missing);
    await expect(keys()).rejects.toEqual(missing);
    await rm(root, { recursive: true });
    await rename(`${root}-unmounted`, root);
    expect(await keys()).toEqual(['object']);
  });
});

describe('unfinished objects', () => {
  test('nothing unfinished is left, however a put fails', async () => {
    const controller = new AbortController();
    const gated = gatedSource(BYTES);
    const writing = store.put('a', gated.source, { signal: controller.signal });
    await gated.reached;
    expect(await readdir(join(root, TEMP))).toHaveLength(1);
    controller.abort(new Error('enough'));
    await expect(writing).rejects.toThrow('enough');
    await expect(store.put('b', failingSource(BYTES, new Error('gone')))).rejects.toThrow('gone');
    await put('c');
    await expect(store.put('c', memorySource(BYTES), { ifAbsent: true })).rejects.toEqual(
      kind('precondition'),
    );
    await store.put('d', memorySource(BYTES), { ifAbsent: true });
    expect(await readdir(join(root, TEMP))).toEqual([]);
    expect(await keys()).toEqual(['c', 'd']);
  });

  test('stores with equal seeds do not get in the way of one another', async () => {
    const twin = await LocalObjectStore.open({ root }, testContext(1));
    const [a, b] = [gatedSource(BYTES), gatedSource(BYTES)];
    const writing = [store.put('a', a.source), twin.put('b', b.source)];
    await Promise.all([a.reached, b.reached]);
    expect(await readdir(join(root, TEMP))).toHaveLength(2);
    a.open();
    b.open();
    await Promise.all(writing);
    expect(await keys()).toEqual(['a', 'b']);
  });

  test('opening sweeps away what dead writers left, and leaves the living and all other names alone', async () => {
    const own = gatedSource(BYTES);
    const writing = store.put('living', own.source);
    await own.reached;
    const [living = ''] = await readdir(join(root, TEMP));
    const host = living.slice(0, 8);
    // No process has a number this high: Linux stops at 2^22.
    const dead = `${host}-4194999-0123456789abcdef.tmp`;
    const foreign = 'ffffffff-1-0123456789abcdef.tmp';
    const strange = ['notes.txt', `${host}-x-0123456789abcdef.tmp`, `${dead}.bak`];
    for (const name of [dead, foreign, ...strange]) await writeFile(join(root, TEMP, name), 'x');
    const context = testContext(5);
    // The files are of today, the clock of the tests is not: move it there.
    context.clock.advance(Math.max(0, wallClockMs() - context.clock.now()));
    await LocalObjectStore.open({ root }, context);
    expect((await readdir(join(root, TEMP))).toSorted()).toEqual(
      [living, foreign, ...strange].toSorted(),
    );
    expect(context.lines).toContainEqual(
      expect.objectContaining({ level: 'info', fields: { root: store.root, files: 1 } }),
    );
    own.open();
    await writing;
    context.clock.advance(2 * 86_400_000);
    await LocalObjectStore.open({ root }, context);
    expect((await readdir(join(root, TEMP))).toSorted()).toEqual(strange.toSorted());
  });
});

// The time at which files are created now; tests may look at it, packages may not.
function wallClockMs(): number {
  return Date.now();
}

describe('files', () => {
  test.skipIf(process.platform !== 'linux')('no file stays open, however a read ends', async () => {
    await put('object', seededBytes(2, 1_000_000));
    const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    const before = await openFiles();
    for (let round = 0; round < 100; round += 1) {
      const controller = new AbortController();
      const { signal } = controller;
      await (await store.get('object'))[Symbol.asyncIterator]().return?.();
      for await (const piece of await store.get('object')) if (piece.byteLength > 0) break;
      const aborted = await store.get('object', undefined, { signal });
      const iterator = aborted[Symbol.asyncIterator]();
      await iterator.next();
      controller.abort(new Error('enough'));
      await iterator.next().catch(() => undefined);
      await store.get('object', { start: 1_000_000 }).catch(() => undefined);
    }
    // What was aborted closes its file in its own time.
    for (let turn = 0; turn < 100 && (await openFiles()) > before; turn += 1);
    expect(await openFiles()).toBeLessThanOrEqual(before);
  });

  test('a read that goes on while its object is replaced or deleted gives the old bytes', async () => {
    const old = seededBytes(3, 1_000_000);
    await put('object', old);
    const pieces = await store.get('object');
    await put('object', seededBytes(4, 500_000));
    await store.delete(['object']);
    expect(Buffer.from(await collectBytes(pieces, 1_000_000)).equals(old)).toBe(true);
  });

  test('a file that is cut while it is read is damage', async () => {
    await put('object', seededBytes(3, 1_000_000));
    const pieces = await store.get('object');
    await writeFile(join(root, 'object'), 'short');
    await expect(collectBytes(pieces, 1_000_000)).rejects.toEqual(kind('corrupt'));
  });
});

describe('options', () => {
  test('the plugin takes root and fsync.enabled', async () => {
    const options = { root: join(outside, 'other'), 'fsync.enabled': 'false' };
    const other = await createObjectStore(options, testContext(1));
    await other.put('a', memorySource(BYTES));
    expect(await keys(other)).toEqual(['a']);
  });

  test.each([
    [{}, /"root" is required/],
    [{ root: '' }, /needs a root directory/],
    [{ rot: '/tmp' }, /Unknown option "rot". Did you mean "root"/],
    [{ root: '/tmp', 'fsync.enabled': 'maybe' }, /true or false/],
  ])('the options %j are refused', async (options, message) => {
    await expect(createObjectStore(options, testContext(1))).rejects.toThrow(message);
  });

  test('a root that is a file is refused', async () => {
    const file = join(outside, 'file');
    await writeFile(file, 'x');
    await expect(LocalObjectStore.open({ root: file }, testContext(1))).rejects.toEqual(
      kind('invalid-configuration'),
    );
    expect(await readdir(dirname(file))).toContain('file');
  });
});
