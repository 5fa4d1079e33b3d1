import { createObjectStore } from '@logloft/remote-storage-gcs';
import { startGcsStub } from '@logloft/stub-servers/gcs';
import type { Cleanup } from '../cleanup.ts';
import type { StoreServer } from './store-server.ts';

const BUCKET = 'loft';

/** The stub of Google Cloud Storage. */
export async function startGcs(cleanup: Cleanup): Promise<StoreServer> {
  const stub = await startGcsStub({ buckets: [BUCKET] });
  cleanup.add(() => stub.close());
  return {
    flag: 'gcs',
    title: 'Google Cloud Storage: the stub',
    url: stub.url,
    createObjectStore,
    optionsAt: (endpoint) => ({ 'gcs.bucket.name': BUCKET, 'gcs.endpoint.url': endpoint }),
    smallParts: {
      options: { 'gcs.resumable.upload.chunk.size': String(256 * 1024) },
      bytes: 700_000,
    },
    unfinishedUploads: async () => stub.pendingUploads(BUCKET).length,
  };
}
