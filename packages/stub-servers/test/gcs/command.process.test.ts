import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../src/command-line/run-command.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logloft-stub-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function writeKeyFile(content: unknown): Promise<string> {
  const path = join(folder, 'key.json');
  await writeFile(path, JSON.stringify(content));
  return path;
}

/** Runs the command until `use` has seen its ready line, and tells the exit code and what it wrote. */
async function run(
  args: readonly string[],
  use: (ready: string) => Promise<void> = async () => undefined,
): Promise<{ readonly code: number; readonly errors: string }> {
  const ready = Promise.withResolvers<string>();
  const stopped = Promise.withResolvers<void>();
  const errors: string[] = [];
  const code = runCommand(['gcs', ...args], {
    out: ready.resolve,
    err: (line) => errors.push(line),
    stopped: stopped.promise,
  });
  void code.then(() => ready.resolve(''));
  const line = await ready.promise;
  try {
    if (line !== '') await use(line);
  } finally {
    stopped.resolve();
  }
  return { code: await code, errors: errors.join(' ') };
}

test('the command serves its buckets until it is stopped', async () => {
  let url = '';
  const { code } = await run(['--bucket', 'loft', '--bucket', 'attic', '--json'], async (ready) => {
    const line = JSON.parse(ready) as { readonly event: string; readonly url: string };
    expect(line).toEqual({ event: 'ready', service: 'gcs', url: line.url });
    url = line.url;
    for (const name of ['loft', 'attic']) {
      expect((await fetch(`${url}/storage/v1/b/${name}`)).status).toBe(200);
    }
  });
  expect(code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test('the command wants the token that it was told, and says so', async () => {
  const { code } = await run(['--token', 'open-sesame', '--bucket', 'loft'], async (ready) => {
    expect(ready).toContain('bearer token open-sesame');
    const url = `${/http:\S+/.exec(ready)?.[0]}/storage/v1/b/loft`;
    const headers = { authorization: 'Bearer open-sesame' };
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers })).status).toBe(200);
  });
  expect(code).toBe(0);
});

test("the command knows a service account by the client's own key file", async () => {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const path = await writeKeyFile({ client_email: 'me@p', private_key: key });
  const { code } = await run(['--service-account', path, '--json'], async (ready) => {
    const { token, url } = JSON.parse(ready) as { readonly token: string; readonly url: string };
    expect(token).toMatch(/^\S{32}$/);
    expect((await fetch(`${url}/storage/v1/b`)).status).toBe(401);
  });
  expect(code).toBe(0);
});

test.each([
  ['no object', 1],
  ['no key', { client_email: 'me@p' }],
  ['a key that is none', { client_email: 'me@p', private_key: 'x' }],
])('the command does not start with a key file that holds %s', async (_, content) => {
  const path = await writeKeyFile(content);
  const { code, errors } = await run(['--service-account', path]);
  expect([code, errors]).toEqual([2, expect.stringContaining('takes a key file')]);
});
