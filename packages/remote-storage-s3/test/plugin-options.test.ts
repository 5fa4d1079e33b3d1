import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@logloft/clock';
import { testContext } from '@logloft/remote-storage-testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { credentialsFromFile } from '../src/credentials-file.ts';
import { createObjectStore } from '../src/index.ts';
import { readS3PluginOptions } from '../src/plugin-options.ts';

const MINIMAL = { 's3.bucket.name': 'b', 's3.region': 'eu-west-1' };

async function refusal(options: Readonly<Record<string, string>>): Promise<string> {
  try {
    const store = await createObjectStore({ ...MINIMAL, ...options }, testContext(1));
    await store[Symbol.asyncDispose]();
  } catch (error) {
    expect(error).toMatchObject({ kind: 'invalid-configuration' });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('the options must be refused');
}

describe('options', () => {
  test.each([
    [{ 's3.bucket.nam': 'x' }, 's3.bucket.name'],
    [{ 's3.bucket.name': '' }, 's3.bucket.name'],
    [{ 's3.multipart.upload.part.size': '5242879' }, '5242880'],
    [{ 's3.multipart.upload.part.size': '8MiB' }, 's3.multipart.upload.part.size'],
    [{ 's3.storage.class': 'GLACIER' }, 'GLACIER'],
    [{ 's3.storage.class': 'deep_archive' }, 'deep_archive'],
    [{ 's3.checksums': 'md5' }, 'crc32 or none'],
    [{ 's3.delete.objects': 'all' }, 'batch or single'],
    [{ 's3.endpoint.url': 'localhost:9000' }, 'http://'],
    [{ 's3.endpoint.url': 'not a url' }, 'http://'],
    [{ 's3.endpoint.url': '' }, 's3.endpoint.url'],
    [{ 'aws.access.key.id': 'a' }, 'aws.secret.access.key'],
    [{ 'aws.session.token': 'a' }, 'aws.access.key.id'],
    [{ 'aws.credentials.provider.class': 'com.example.Provider' }, 'Leave it out'],
    [{ 's3.upload.memory.bytes': '6000000' }, '6000000'],
    [{ 's3.sse.kms.key.id': 'k' }, 'aws:kms'],
    [{ 's3.parts.in.flight': '0' }, 's3.parts.in.flight'],
    [{ 's3.path.style.access.enabled': 'yes' }, 'true or false'],
    [{ 'aws.credentials.file': '/does/not/exist' }, '/does/not/exist'],
  ])('%j are refused with a message that says %s', async (options, said) => {
    expect(await refusal(options)).toContain(said);
  });

  test('keys and a file of keys are refused together', async () => {
    const options = {
      'aws.access.key.id': 'a',
      'aws.secret.access.key': 'b',
      'aws.credentials.file': '/some/file',
    };
    expect(await refusal(options)).toContain('not both');
  });

  test('without a region the name of the option is told, and nothing is sent', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE'])
      delete process.env[name];
    process.env['AWS_CONFIG_FILE'] = '/does/not/exist';
    onTestFinished(() => {
      delete process.env['AWS_CONFIG_FILE'];
    });
    const opening = createObjectStore({ 's3.bucket.name': 'b' }, testContext(1));
    await expect(opening).rejects.toMatchObject({ kind: 'invalid-configuration' });
    await expect(opening).rejects.toThrow('"s3.region"');
  });

  test('of Aiven’s plugin are known by their names', () => {
    const read = readS3PluginOptions({
      ...MINIMAL,
      's3.endpoint.url': 'http://127.0.0.1:1',
      's3.path.style.access.enabled': 'true',
      's3.multipart.upload.part.size': '26214400',
      's3.storage.class': 'STANDARD',
      's3.api.call.timeout': '60000',
      's3.api.call.attempt.timeout': '10000',
      's3.legacy.md5.plugin.enabled': 'false',
      'aws.access.key.id': 'a',
      'aws.secret.access.key': 'b',
      'aws.session.token': 'c',
      'aws.certificate.check.enabled': 'true',
      'aws.checksum.check.enabled': 'false',
    });
    expect(read['s3.multipart.upload.part.size']).toBe(26_214_400);
    expect(read['s3.api.call.timeout']).toBe(60_000);
  });

  test('leave a large part room in memory by themselves', async () => {
    const options = { ...MINIMAL, 's3.multipart.upload.part.size': '104857600' };
    const store = await createObjectStore(options, testContext(1));
    expect(store.capabilities.maxObjectBytes).toBe(104_857_600 * 10_000);
    await store[Symbol.asyncDispose]();
  });
});

describe('a credentials file', () => {
  const text = (id: string): string =>
    `# keys\n[other]\naws_access_key_id = wrong\n\n[default]\naws_access_key_id=${id}\n` +
    `aws_secret_access_key = a/b+c==\naws_session_token = t\n[last]\naws_access_key_id = wrong\n`;

  async function file(content: string): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'logloft-s3-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'credentials');
    await writeFile(path, content);
    return path;
  }

  test('gives the keys of its default section, and is read again after 10 s', async () => {
    const clock = new ManualClock();
    const path = await file(text('one'));
    const credentials = credentialsFromFile(path, clock);
    expect(await credentials()).toEqual({
      accessKeyId: 'one',
      secretAccessKey: 'a/b+c==',
      sessionToken: 't',
    });
    await writeFile(path, text('two'));
    expect((await credentials()).accessKeyId).toBe('one');
    clock.advance(10_000);
    expect((await credentials()).accessKeyId).toBe('two');
  });

  test('is read at once when the keys have expired', async () => {
    const path = await file(text('one'));
    const credentials = credentialsFromFile(path, new ManualClock());
    await credentials();
    await writeFile(path, text('two'));
    expect((await credentials({ forceRefresh: true })).accessKeyId).toBe('two');
  });

  test('that is being replaced leaves the keys of before in use', async () => {
    const clock = new ManualClock();
    const path = await file(text('one'));
    const credentials = credentialsFromFile(path, clock);
    await credentials();
    await writeFile(path, '[default]\naws_acc');
    clock.advance(10_000);
    expect((await credentials()).accessKeyId).toBe('one');
  });

  test('without keys is refused, and named', async () => {
    const path = await file('[profile x]\naws_access_key_id = a\n');
    const reading = credentialsFromFile(path, new ManualClock())();
    await expect(reading).rejects.toMatchObject({ kind: 'invalid-configuration' });
    await expect(reading).rejects.toThrow(path);
  });
});
