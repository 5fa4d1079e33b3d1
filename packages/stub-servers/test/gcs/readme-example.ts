import { Storage } from '@google-cloud/storage';
import { startGcsStub } from '@logloft/stub-servers/gcs';

const stub = await startGcsStub({ buckets: ['loft'] });
try {
  const storage = new Storage({ apiEndpoint: stub.url, projectId: 'any' });
  const file = storage.bucket('loft').file('some/object');
  await file.save('hello', { resumable: false });
  const [range] = await file.download({ start: 1, end: 3 });
  console.log(range.toString()); // ell
  console.log(stub.requests.count('objects.download')); // 1
} finally {
  await stub.close();
}
