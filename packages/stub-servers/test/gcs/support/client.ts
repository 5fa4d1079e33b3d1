import { type Bucket, Storage, type StorageOptions } from '@google-cloud/storage';
import type { GcsStub } from '../../../src/gcs/index.ts';

/** The real client, pointed at a stub. It repeats nothing, so that tests see each answer. */
export function clientOf(stub: GcsStub, options: StorageOptions = {}): Storage {
  return new Storage({
    apiEndpoint: stub.url,
    projectId: 'p',
    retryOptions: { autoRetry: false },
    ...options,
  });
}

/** A bucket of it. */
export function bucketOf(stub: GcsStub, name: string): Bucket {
  return clientOf(stub).bucket(name);
}
