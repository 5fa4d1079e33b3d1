import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GcsStub, startGcsStub } from '../../src/gcs/index.ts';
import { bucketOf, clientOf } from './support/client.ts';

let stub: GcsStub;
beforeAll(async () => {
  stub = await startGcsStub({ buckets: ['loft'] });
});
afterAll(() => stub.close());

test('smoke', async () => {
  const bucket = bucketOf(stub, 'loft');
  const data = randomBytes(700_000);
  await bucket.file('a/b').save(data, { resumable: false });
  expect((await bucket.file('a/b').download())[0].equals(data)).toBe(true);
  await bucket.file('a/c').save(data, { resumable: true });
  await bucket.file('a/d').save(data, { resumable: true, chunkSize: 262144 });
  await bucket.file('a/e').save(Buffer.alloc(0), { resumable: true, chunkSize: 262144 });
  await bucket.file('a/f').save(Buffer.alloc(0), { resumable: true });
  await bucket.file('a/g').save(Buffer.alloc(0), { resumable: false });
  console.log((await bucket.getFiles())[0].map((f) => [f.name, f.metadata.size, f.metadata.crc32c]));
  console.log([...stub.requests].map((r) => `${r.operation} ${r.method} ${r.path} ${r.status} ${r.bytesIn} ${r.error}`));
});
