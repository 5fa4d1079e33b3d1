import { MetricsRegistry } from '@logloft/metrics';
import { expect, test } from 'vitest';
import {
  ObjectStoreRemoteStorage,
  openRemoteStorage,
  type PluginContext,
  type PluginOptions,
  type RemoteStorageManager,
} from '../src/index.ts';
import { MapObjectStore } from './map-object-store.ts';
import { manualContext } from './segment-fixture.ts';

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
