import {
  type CallOptions,
  isNotFound,
  type RemoteStorageError,
  type RetryOptions,
  retry,
  toRemoteStorageError,
} from '@logloft/remote-storage';
import { OPERATIONS } from './gcs-operation.ts';
import { objectPath } from './http/gcs-request.ts';
import type { GcsTransport } from './http/gcs-transport.ts';

/** What {@link deleteObjects} needs. */
export interface DeleteObjectsOptions extends CallOptions {
  readonly transport: GcsTransport;
  readonly retry: Omit<RetryOptions, 'signal'>;
  /** Most deletions under way at one time. */
  readonly concurrency: number;
}

/**
 * Deletes objects, several at a time, since the store has no request for many. What is not there
 * counts as deleted. All are tried, also when some fail.
 *
 * @throws RemoteStorageError the first failure; the reason of the signal
 */
export async function deleteObjects(
  keys: readonly string[],
  options: DeleteObjectsOptions,
): Promise<void> {
  const { signal, concurrency } = options;
  const left = new Set(keys).values();
  const failures: RemoteStorageError[] = [];
  const work = async (): Promise<void> => {
    for (const key of left) {
      try {
        await retry({ ...options.retry, signal }, () => deleteObject(key, options));
      } catch (error) {
        if (signal?.aborted) return;
        failures.push(toRemoteStorageError(error, { action: OPERATIONS.delete.action, key }));
      }
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, keys.length) }, work);
  await Promise.all(workers);
  signal?.throwIfAborted();
  const [first] = failures;
  if (first !== undefined) throw first;
}

async function deleteObject(
  key: string,
  { transport, signal }: DeleteObjectsOptions,
): Promise<void> {
  const target = objectPath(transport.bucket, key);
  const request = { operation: OPERATIONS.delete, key, method: 'DELETE', target } as const;
  try {
    await transport.send(request, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
