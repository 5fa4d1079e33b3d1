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
export function bucketOf(stub: GcsStub, name = 'loft'): Bucket {
  return clientOf(stub).bucket(name);
}

/** What a failed call says: the status, wherever the client put it, and the reason if it kept one. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const { code, status, errors } = error as {
      code?: number | string;
      status?: number;
      errors?: readonly { reason?: string }[];
    };
    const reason = errors?.[0]?.reason;
    return [code ?? status, reason].filter((part) => part !== undefined).join(' ');
  }
  return 'succeeded';
}
