import { Storage } from '@google-cloud/storage';
import { systemClock, systemRandom } from '@logloft/clock';
import { collectBytes, memorySource } from '@logloft/remote-storage';
import { GcsObjectStore } from '@logloft/remote-storage-gcs';
import { startGcsStub } from '@logloft/stub-servers/gcs';

// A server to try things out; `new Storage()` alone is Google's, with your credentials.
const stub = await startGcsStub({ buckets: ['loft'] });
const client = new Storage({ apiEndpoint: stub.url });
const context = { clock: systemClock, random: systemRandom, logger: console };
const store = new GcsObjectStore({ bucket: 'loft', client }, context);
try {
  await store.put('some/object', memorySource(new TextEncoder().encode('hello')));
  const pieces = await store.get('some/object', { start: 1, end: 3 });
  console.log(new TextDecoder().decode(await collectBytes(pieces, 10))); // ell
} finally {
  await store.close();
  await stub.close();
}
