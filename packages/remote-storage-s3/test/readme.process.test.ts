import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startS3Stub } from '@logloft/stub-servers';
import { expect, test } from 'vitest';
import { S3_OPTION_PARSERS } from '../src/plugin-options.ts';
import { MODULE_FLAGS, PACKAGE } from './support/node-module.ts';

const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');

test('the first example runs, and prints what it says', async () => {
  await using stub = await startS3Stub({ buckets: ['segments'] });
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const said = /console\.log\(.*\); \/\/ (.*)$/m.exec(example)?.[1];
  const { accessKeyId, secretAccessKey } = stub.credentials;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...MODULE_FLAGS, '--eval', example],
    {
      cwd: PACKAGE,
      env: {
        ...process.env,
        S3_ENDPOINT: stub.url,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      },
    },
  );
  expect(stdout.trim()).toBe(said);
  expect(said).toBe('ell');
});

test('the table of options names exactly those that there are', () => {
  const told = [...readme.matchAll(/^\| `((?:s3|aws)\.[a-z0-9.]+)`/gm)].map(([, name]) => name);
  expect(told.toSorted()).toEqual(Object.keys(S3_OPTION_PARSERS).toSorted());
});

test('every permission that a message may ask for is in the policy', () => {
  for (const permission of [
    's3:GetObject',
    's3:PutObject',
    's3:DeleteObject',
    's3:ListBucket',
    's3:AbortMultipartUpload',
    's3:ListBucketMultipartUploads',
  ]) {
    expect(readme).toContain(`"${permission}"`);
  }
});
