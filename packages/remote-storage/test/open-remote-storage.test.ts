import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { expect, test } from 'vitest';
import {
  ObjectStoreRemoteStorage,
  openRemoteStorage,
  type PluginContext,
  type PluginOptions,
  RemoteStorageError,
  type RemoteStorageManager,
  type RemoveUnfinishedOptions,
} from '../src/index.ts';
import { forEver, MapObjectStore } from './map-object-store.ts';
import { DATA, manualContext, SEGMENT } from './segment-fixture.ts';

const context = (): PluginContext => ({
  ...manualContext(),
  metrics: new MetricsRegistry({ clock: manualContext().clock }),
  brokerId: 0,
});

const refused = (message: RegExp): unknown =>
  expect.objectContaining({
    code: 'LOGLOFT_REMOTE_INVALID_CONFIGURATION',
    message: expect.stringMatching(message),
  });

test('a module that makes only a store gets the options of the store, and the layout the others', async () => {
  let given: PluginOptions | undefined;
  const manager = await openRemoteStorage(
    {
      createObjectStore: (options) => {
        given = options;
        return new MapObjectStore();
      },
    },
    {
      'storage.backend.class': 'some.Class',
      'storage.root': '/x',
      'storage.s3.part.size': '5',
      'key.prefix': 'loft/',
    },
    context(),
  );
  expect(manager).toBeInstanceOf(ObjectStoreRemoteStorage);
  expect(given).toEqual({ root: '/x', 's3.part.size': '5' });
});

test('a module that makes a manager gets all options as they are', async () => {
  const made: RemoteStorageManager = new ObjectStoreRemoteStorage(
    new MapObjectStore(),
    {},
    manualContext(),
  );
  let given: PluginOptions | undefined;
  const manager = await openRemoteStorage(
    {
      createRemoteStorage: async (options) => {
        given = options;
        return made;
      },
    },
    { anything: 'goes' },
    context(),
  );
  expect(manager).toBe(made);
  expect(given).toEqual({ anything: 'goes' });
});

test('a module with both factories or with none is refused', async () => {
  const createObjectStore = (): MapObjectStore => new MapObjectStore();
  const createRemoteStorage = (): never => {
    throw new Error('not called');
  };
  const wanted = refused(/exactly one/);
  await expect(openRemoteStorage({}, {}, context())).rejects.toEqual(wanted);
  const both = { createObjectStore, createRemoteStorage };
  await expect(openRemoteStorage(both, {}, context())).rejects.toEqual(wanted);
});

test.each([
  [{ 'key.prefx': 'a' }, /Unknown option "key.prefx".* Did you mean "key.prefix"/],
  [{ 'chunk.size': '0' }, /"chunk.size" must be an integer from 1 to 1073741823, got "0"/],
  [{ 'chunk.size': '1e6' }, /must be an integer/],
  [{ 'chunk.size': '1073741824' }, /must be an integer/],
  [{ 'encryption.enabled': 'TRUE' }, /"encryption.key.pairs" is required/],
  [{ 'encryption.enabled': 'yes' }, /must be true or false, got "yes"/],
  [{ 'custom.metadata.fields.include': 'REMOTE_SIZE,KEY' }, /any of REMOTE_SIZE.*got "KEY"/],
  [{ constructor: 'x' }, /Unknown option "constructor"/],
])('the options %j are refused before the store is opened', async (options, message) => {
  let opened = false;
  const createObjectStore = (): MapObjectStore => {
    opened = true;
    return new MapObjectStore();
  };
  const opening = openRemoteStorage({ createObjectStore }, options, context());
  await expect(opening).rejects.toEqual(refused(message));
  expect(opened).toBe(false);
});

test('a layout that cannot be built gives the store back', async () => {
  const store = new MapObjectStore();
  const options = { 'key.prefix': '../' };
  const opening = openRemoteStorage({ createObjectStore: () => store }, options, context());
  await expect(opening).rejects.toEqual(refused(/"\.\."/));
  expect(store.disposals).toBe(1);
});

// A store that can leave uploads unfinished, as those with multipart uploads can.
class UnfinishedStore extends MapObjectStore {
  readonly asked: Omit<RemoveUnfinishedOptions, 'signal' | 'onProgress'>[] = [];
  answer: () => Promise<number> = async () => 3;

  async removeUnfinished({ prefix, olderThanMs }: RemoveUnfinishedOptions): Promise<number> {
    this.asked.push({ prefix, olderThanMs });
    return await this.answer();
  }
}

async function openOver(
  store: UnfinishedStore,
  options: PluginOptions = {},
): Promise<{ manager: RemoteStorageManager; lines: unknown[][]; settle: () => Promise<void> }> {
  const { clock, ...rest } = context();
  const lines: unknown[][] = [];
  const log =
    (level: string) =>
    (...line: unknown[]): void =>
      void lines.push([level, ...line]);
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const moved = new ManualClock();
  const manager = await openRemoteStorage(
    { createObjectStore: () => store },
    { 'key.prefix': 'loft/', ...options },
    { ...rest, clock: moved, logger },
  );
  return { manager, lines, settle: () => moved.advanceAsync(60_000) };
}

test('uploads that crashed writers left are removed in the background, and counted in the log', async () => {
  const store = new UnfinishedStore();
  const { lines, settle } = await openOver(store);
  await settle();
  expect(store.asked).toEqual([{ prefix: 'loft/', olderThanMs: 86_400_000 }]);
  expect(lines).toEqual([
    ['info', 'Unfinished uploads were removed', { count: 3, olderThanMs: 86_400_000 }],
  ]);
});

test('unfinished.uploads.max.age.ms says how old they have to be, and 0 leaves them', async () => {
  const some = new UnfinishedStore();
  await (await openOver(some, { 'unfinished.uploads.max.age.ms': '5' })).settle();
  expect(some.asked).toEqual([{ prefix: 'loft/', olderThanMs: 5 }]);
  const none = new UnfinishedStore();
  await (await openOver(none, { 'unfinished.uploads.max.age.ms': '0' })).settle();
  expect(none.asked).toEqual([]);
});

test('where nothing was unfinished, nothing is said', async () => {
  const store = new UnfinishedStore();
  store.answer = async () => 0;
  const { lines, settle } = await openOver(store);
  await settle();
  expect(lines).toEqual([]);
});

test('unfinished uploads that cannot be removed are a warning, and the storage works', async () => {
  const store = new UnfinishedStore();
  store.answer = () => Promise.reject(new RemoteStorageError('denied', 'not yours'));
  const { manager, lines, settle } = await openOver(store);
  await settle();
  expect(lines).toEqual([
    [
      'warn',
      expect.stringContaining('could not be removed'),
      { error: expect.objectContaining({ kind: 'denied' }) },
    ],
  ]);
  await manager.copyLogSegmentData(SEGMENT, DATA);
  expect(store.objects.size).toBe(3);
});

test('a removal that hangs delays nothing, and ends with the storage without a word', async () => {
  const store = new UnfinishedStore();
  store.answer = () => forEver();
  const { manager, lines, settle } = await openOver(store);
  await manager.copyLogSegmentData(SEGMENT, DATA);
  await manager[Symbol.asyncDispose]();
  await settle();
  expect(lines).toEqual([]);
  expect(store.disposals).toBe(1);
});

test('a key file that is not there stops the start before the store is opened', async () => {
  let opened = false;
  const createObjectStore = (): MapObjectStore => {
    opened = true;
    return new MapObjectStore();
  };
  const options = {
    'encryption.enabled': 'true',
    'encryption.key.pair.id': 'k1',
    'encryption.key.pairs': 'k1',
    'encryption.key.pairs.k1.public.key.file': '/nowhere/key.pem',
  };
  await expect(openRemoteStorage({ createObjectStore }, options, context())).rejects.toEqual(
    refused(
      /"encryption.key.pairs.k1.public.key.file": the file "\/nowhere\/key.pem" cannot be read/,
    ),
  );
  expect(opened).toBe(false);
});
