import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { memorySource } from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { AzureObjectStore, createObjectStore } from '../src/index.ts';
import { silentContext } from './support/containers.ts';
import { MODULE_FLAGS, PACKAGE } from './support/node-module.ts';
import { failureOf } from './support/waiting.ts';

// Says whether the login's package was imported when a store was opened.
const SCRIPT = `
  import { registerHooks } from 'node:module';
  import { systemClock, systemRandom } from '@logloft/clock';
  const imported = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      imported.add(specifier);
      return next(specifier, context);
    },
  });
  const { createObjectStore } = await import('@logloft/remote-storage-azure');
  const context = { clock: systemClock, random: systemRandom, logger: console };
  await createObjectStore(JSON.parse(process.argv[1]), context);
  console.log(imported.has('@azure/identity') ? 'login' : 'no login');
`;

async function report(options: Readonly<Record<string, string>>): Promise<string> {
  const all = {
    'azure.container.name': 'container',
    'azure.account.name': 'account',
    ...options,
  };
  const args = [...MODULE_FLAGS, '--eval', SCRIPT, JSON.stringify(all)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PACKAGE });
  return stdout.trim();
}

describe('@azure/identity', () => {
  test.each([{ 'azure.account.key': 'a2V5' }, { 'azure.sas.token': '?sig=abc' }])(
    'is not loaded with %j',
    async (options) => {
      expect(await report(options)).toBe('no login');
    },
  );

  test('is loaded where there is neither key nor token', async () => {
    expect(await report({})).toBe('login');
  });
});

test('a login over plain http is refused with the remedy', async () => {
  const options = {
    'azure.container.name': 'container',
    'azure.account.name': 'account',
    'azure.endpoint.url': 'http://127.0.0.1:1/account',
  };
  const store = await createObjectStore(options, silentContext());
  expect(store).toBeInstanceOf(AzureObjectStore);
  for (const call of [store.head('object'), store.put('object', memorySource(new Uint8Array(1)))]) {
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ kind: 'invalid-configuration', retryable: false });
    expect(failure.message).toContain('Use https in azure.endpoint.url');
  }
  await store[Symbol.asyncDispose]();
});
