import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { ObjectStoreRemoteStorage, readLayoutOptions } from '@logloft/remote-storage';
import { createObjectStore, MemoryObjectStore } from '@logloft/remote-storage-memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RemoteStorageChoice, silentLogger, startBroker } from '../../src/index.ts';
import { Loft } from '../support/loft.ts';
import { COLD, fill, quickTiering, readBack, untilCold } from '../support/tiered-topic.ts';
import { WireClient } from '../support/wire-client.ts';

const PLUGIN_BASE = new URL('..', import.meta.url).pathname;

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-plugin-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function tiersWith(
  options: Partial<Parameters<typeof startBroker>[0]> & {
    readonly remoteStorage?: RemoteStorageChoice;
  },
): Promise<void> {
  const { config = {}, ...rest } = options;
  const settings = quickTiering({ ...config });
  await using broker = await startBroker({ pluginBase: PLUGIN_BASE, ...settings, ...rest });
  await using client = await WireClient.connect(broker);
  await broker.createTopic({ name: 'cold', configs: COLD });
  await fill(client, 'cold', { to: 40 });
  await untilCold(broker, 'cold');
  expect(await readBack(client, 'cold')).toBe(40);
}

describe('a remote store is', () => {
  test('an instance', async () => {
    const context = {
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
      metrics: new MetricsRegistry({ clock: systemClock }),
      brokerId: 0,
    };
    const store = new MemoryObjectStore();
    await tiersWith({
      remoteStorage: new ObjectStoreRemoteStorage(store, readLayoutOptions({}), context),
    });
    // The broker closes what it was given.
    await expect(store.head('anything')).rejects.toThrow();
  });

  test('a factory, which is given the options and what the broker works with', async () => {
    await using loft = new Loft();
    const seen: unknown[] = [];
    await tiersWith({
      remoteStorage: (options, context) => {
        seen.push(options, context.brokerId);
        return loft.factory(options, context);
      },
      remoteStorageOptions: { 'my.option': 'x' },
      config: { 'rsm.config.other': 'y' },
    });
    expect(seen).toEqual([{ 'my.option': 'x', other: 'y' }, 0]);
  });

  test('a module of a plugin', async () => {
    await tiersWith({ remoteStorage: { createObjectStore } });
  });

  test('the name of an installed package, with its options', async () => {
    await tiersWith({
      remoteStorage: '@logloft/remote-storage-local',
      remoteStorageOptions: { 'storage.root': join(directory, 'by-name') },
    });
    expect((await readdir(join(directory, 'by-name'), { recursive: true })).join()).toContain(
      '.log',
    );
  });

  test('the class of the plugin by Aiven for that store, as a server.properties file names it', async () => {
    await tiersWith({
      config: {
        'remote.log.storage.system.enable': 'true',
        'remote.log.storage.manager.class.name':
          'io.aiven.kafka.tieredstorage.RemoteStorageManager',
        'rsm.config.storage.backend.class':
          'io.aiven.kafka.tieredstorage.storage.filesystem.FileSystemStorage',
        'rsm.config.storage.root': join(directory, 'by-class'),
      },
    });
    expect((await readdir(join(directory, 'by-class'), { recursive: true })).join()).toContain(
      '.log',
    );
  });

  test('a file beside the program, found from the plugin base', async () => {
    await using loft = new Loft();
    const key = 'logloft.test.plugin';
    Object.assign(globalThis, { [key]: loft.factory });
    await writeFile(
      join(directory, 'my-store.mjs'),
      `export const createRemoteStorage = globalThis['${key}'];\n`,
    );
    await tiersWith({ remoteStorage: './my-store.mjs', pluginBase: directory });
    expect(await loft.segments()).not.toEqual([]);
  });
});

describe('the start is refused, with nothing left open, by', () => {
  test('a package that is not installed, naming the command that installs it', async () => {
    await expect(
      startBroker({ remoteStorage: '@logloft/remote-storage-tape' }),
    ).rejects.toMatchObject({
      code: 'LOGLOFT_BROKER_PLUGIN',
      message: expect.stringContaining('npm install @logloft/remote-storage-tape'),
    });
  });

  test('a file that does not exist, or does not load', async () => {
    await writeFile(join(directory, 'broken.mjs'), 'export const = 1;\n');
    for (const remoteStorage of ['./missing.mjs', './broken.mjs']) {
      await expect(startBroker({ remoteStorage, pluginBase: directory })).rejects.toMatchObject({
        code: 'LOGLOFT_BROKER_PLUGIN',
        message: expect.stringContaining(remoteStorage),
      });
    }
  });

  test('a module without a factory, and options that the plugin does not know', async () => {
    await writeFile(join(directory, 'empty.mjs'), 'export const nothing = 1;\n');
    await expect(
      startBroker({ remoteStorage: './empty.mjs', pluginBase: directory }),
    ).rejects.toMatchObject({ code: 'LOGLOFT_REMOTE_INVALID_CONFIGURATION' });
    await expect(
      startBroker({
        remoteStorage: { createObjectStore },
        remoteStorageOptions: { 'storage.max.byte': '1' },
      }),
    ).rejects.toThrow('max.bytes');
  });

  test('a class of the plugin by Aiven that nobody knows', async () => {
    const config = {
      'remote.log.storage.system.enable': 'true',
      'remote.log.storage.manager.class.name': 'io.aiven.kafka.tieredstorage.RemoteStorageManager',
      'rsm.config.storage.backend.class': 'io.aiven.kafka.tieredstorage.storage.tape.TapeStorage',
    };
    await expect(startBroker({ config })).rejects.toMatchObject({
      code: 'LOGLOFT_BROKER_PLUGIN',
      message: expect.stringContaining('TapeStorage'),
    });
  });

  test('a factory that fails, whose error is passed on', async () => {
    const remoteStorage = () => Promise.reject(new Error('no bucket'));
    await expect(startBroker({ remoteStorage })).rejects.toThrow('no bucket');
    // The directory is free again.
    await expect(startBroker({ remoteStorage, directory })).rejects.toThrow('no bucket');
    await (await startBroker({ directory })).close();
  });
});
