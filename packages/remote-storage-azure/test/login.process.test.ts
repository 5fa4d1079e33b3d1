import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { memorySource } from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { AzureObjectStore, createObjectStore } from '../src/index.ts';
import { silentContext } from './support/containers.ts';
import { failureOf } from './support/waiting.ts';

const script = join(import.meta.dirname, 'support/open-and-report.ts');

async function report(options: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@logloft/source',
    script,
    JSON.stringify({
      'azure.container.name': 'container',
      'azure.account.name': 'account',
      ...options,
    }),
  ]);
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
