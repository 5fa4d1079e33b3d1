import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StartCommand } from '../src/command-line/command.ts';
import { parseCommandLine } from '../src/command-line/parse-command-line.ts';
import { readSettings } from '../src/settings.ts';
import { brokerOptionsFor, hasOwnLogDirectory } from '../src/start-options.ts';

function parsed(...args: string[]): StartCommand {
  const command = parseCommandLine(args);
  if (command.kind !== 'start') throw new TypeError(command.kind);
  return command;
}

async function optionsFor(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  directory: string | null = '/d',
) {
  const command = parsed(...args);
  const settings = await readSettings(command, environment);
  return brokerOptionsFor({ command, settings, directory: directory ?? undefined });
}

describe('what a broker is started with', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'settings-test-'));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true });
  });

  async function file(text: string): Promise<string> {
    const path = join(directory, 'server.properties');
    await writeFile(path, text);
    return path;
  }

  it('is port 9092, the disk, and local tiering of topics that are made on first use', async () => {
    const options = await optionsFor([]);
    expect(options).toMatchObject({
      port: 9092,
      directory: '/d/log',
      remoteStorageOptions: { 'storage.root': '/d/remote' },
      configSources: {
        presets: { 'log.remote.storage.enable': 'true', 'group.initial.rebalance.delay.ms': '0' },
      },
    });
    expect(options.host).toBeUndefined();
  });

  it('leaves to file and environment what they settle', async () => {
    const path = await file(
      '# listeners\n  listeners = PLAINTEXT://:1\nlog.remote.storage.enable:false\n',
    );
    const options = await optionsFor(['--config', path], {
      LOGLOFT_GROUP_INITIAL_REBALANCE_DELAY_MS: '3000',
    });
    expect(options.port).toBeUndefined();
    expect(options.config).toEqual({});
    expect(options.configSources?.file?.path).toBe(path);
  });

  it('lets --set win over what the command would set', async () => {
    const options = await optionsFor(['--set', 'log.remote.storage.enable=false']);
    expect(options.config?.['log.remote.storage.enable']).toBe('false');
  });

  it('gives flags of their own to the broker even beside listeners, which it refuses by name', async () => {
    const options = await optionsFor(['--port', '1', '--set', 'listeners=PLAINTEXT://:2']);
    expect(options.port).toBe(1);
  });

  it('leaves the remote tier to a configuration that names one', async () => {
    const { remoteStorage, config } = await optionsFor([
      '--set',
      'remote.log.storage.manager.class.name=./plugin.js',
    ]);
    expect(remoteStorage).toBeUndefined();
    expect(config?.['log.remote.storage.enable']).toBeUndefined();
  });

  it('has no tiering by default without a remote tier', async () => {
    const { remoteStorage, config } = await optionsFor(['--remote-storage', 'none']);
    expect(remoteStorage).toBeUndefined();
    expect(config?.['log.remote.storage.enable']).toBeUndefined();
  });

  it('bounds the remote tier in memory like the logs', async () => {
    const options = await optionsFor(['--memory=1MiB'], {}, null);
    expect(options).toMatchObject({
      memoryBytes: 1_048_576,
      remoteStorageOptions: { 'storage.max.bytes': '1048576' },
    });
    expect(options.directory).toBeUndefined();
  });

  it('takes plugins by path or name, and the clouds by their short names', async () => {
    const of = async (name: string) => (await optionsFor(['--remote-storage', name])).remoteStorage;
    expect(await of('./mine.js')).toBe('./mine.js');
    expect(await of('@me/store')).toBe('@me/store');
    for (const cloud of ['s3', 'gcs', 'azure']) {
      expect(await of(cloud)).toEqual({ createObjectStore: expect.any(Function) });
    }
  });

  it('needs a directory for a local tier beside logs that are elsewhere', async () => {
    const path = await file('log.dirs=/elsewhere\n');
    const command = parsed('--config', path, '--remote-storage', 'local');
    const settings = await readSettings(command, {});
    expect(hasOwnLogDirectory(settings)).toBe(true);
    expect(() => brokerOptionsFor({ command, settings, directory: undefined })).toThrow(
      '--remote-storage local needs a directory',
    );
  });

  it('says when the file cannot be read', async () => {
    await expect(readSettings(parsed('--config', join(directory, 'no')), {})).rejects.toThrow(
      '--config cannot be read: ENOENT',
    );
  });
});
