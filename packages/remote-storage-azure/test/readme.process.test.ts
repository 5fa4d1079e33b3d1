import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createObjectStore } from '../src/index.ts';
import { ACCOUNT, ACCOUNT_KEY, type Azurite, startAzurite } from './support/azurite.ts';
import { plainClient, silentContext } from './support/containers.ts';
import { MODULE_FLAGS, PACKAGE } from './support/node-module.ts';
import { failureOf } from './support/waiting.ts';

const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
let azurite: Azurite;

beforeAll(async () => {
  azurite = await startAzurite();
});

afterAll(async () => {
  await azurite.close();
});

test('the first example runs, and prints what it says', async () => {
  await plainClient(azurite.endpoint).getContainerClient('segments').create();
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const said = /console\.log\(.*\); \/\/ (.*)$/m.exec(example)?.[1];
  const connection = `AccountName=${ACCOUNT};AccountKey=${ACCOUNT_KEY};DefaultEndpointsProtocol=http;BlobEndpoint=${azurite.endpoint};`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...MODULE_FLAGS, '--eval', example],
    {
      cwd: PACKAGE,
      env: { ...process.env, AZURE_STORAGE_CONNECTION_STRING: connection },
    },
  );
  expect(stdout.trim()).toBe(said);
  expect(said).toBe('ell');
});

test('the table of options names exactly those that there are', async () => {
  const failure = await failureOf(
    (async () => await createObjectStore({ unknown: 'x' }, silentContext()))(),
  );
  const known = (/Known: (.*)$/.exec(failure.message)?.[1] ?? '').split(', ');
  const told = [...readme.matchAll(/^\| `([a-z0-9.]+)`/gm)].map(([, name]) => name);
  expect(told.toSorted()).toEqual(known.filter((name) => !name.startsWith('proxy.')).toSorted());
  expect(readme).toContain('`proxy.*`');
});
