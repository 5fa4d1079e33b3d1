import type { BlobClient } from '@azure/storage-blob';
import {
  type CallOptions,
  isNotFound,
  isRemoteStorageError,
  type RemoteStorageError,
  retry,
  toRemoteStorageError,
} from '@logloft/remote-storage';
import type { BlobCall, BlobRequests } from './blob-requests.ts';

const ACTION = 'Deleting the object';

// The service takes no more in one request.
const MAX_BATCH_KEYS = 256;

// Deletions of their own that are under way at one time, where the service takes no batches.
const SINGLE_IN_FLIGHT = 16;

/**
 * Removes objects, up to 256 in a request. Each key has a result of its own: those that are left are
 * tried again, one by one. Where batches are refused (a SAS token may not do, some kinds of accounts),
 * all go one by one.
 */
export class BlobDeletion {
  readonly #requests: BlobRequests;
  #batchesServed: boolean | undefined;

  constructor(requests: BlobRequests) {
    this.#requests = requests;
  }

  /**
   * @throws the reason of the signal; RemoteStorageError of the first key that could not be removed, when
   *   all others were tried
   */
  async run(keys: readonly string[], options: CallOptions): Promise<void> {
    const all = [...new Set(keys)];
    const failures: RemoteStorageError[] = [];
    for (let at = 0; at < all.length; at += MAX_BATCH_KEYS) {
      const left = await this.#batch(all.slice(at, at + MAX_BATCH_KEYS), options.signal);
      failures.push(...(await this.#oneByOne(left, options.signal)));
    }
    const [first] = failures;
    if (first !== undefined) throw first;
  }

  // Answers which keys are not known to be gone.
  async #batch(
    keys: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    if (keys.length < 2 || this.#batchesServed === false) return keys;
    const call: BlobCall = { action: 'Deleting objects', signal };
    const again = { ...this.#requests.retrying(call.action), signal };
    try {
      const gone = await retry(again, () => this.#send(keys, call));
      this.#batchesServed = true;
      return keys.filter((_, index) => !gone.has(index));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The same refusal for single keys will say why; if those pass, it was the batch.
      const failures = await this.#oneByOne(keys, signal);
      const [first] = failures;
      if (first !== undefined) throw first;
      this.#batchesServed ??= false;
      return [];
    }
  }

  async #send(keys: readonly string[], call: BlobCall): Promise<ReadonlySet<number>> {
    const { container } = this.#requests;
    const client = container.getBlobBatchClient();
    return await this.#requests.run(call, async (abortSignal) => {
      // The client's own `deleteBlobs` has no signal.
      const batch = client.createBatch();
      for (const key of keys) {
        await batch.deleteBlob(container.getBlobClient(key), { deleteSnapshots: 'include' });
      }
      const { subResponses } = await client.submitBatch(batch, { abortSignal });
      const gone = new Set<number>();
      for (const index of keys.keys()) {
        // An answer without a part for this key leaves a hole.
        const part = subResponses.at(index);
        if (part !== undefined && isGone(part.status, part.errorCode)) gone.add(index);
      }
      return gone;
    });
  }

  async #oneByOne(
    keys: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly RemoteStorageError[]> {
    const failures: RemoteStorageError[] = [];
    const queue = keys.values();
    const work = async (): Promise<void> => {
      for (const key of queue) {
        signal?.throwIfAborted();
        try {
          await this.#one(key, signal);
        } catch (error) {
          signal?.throwIfAborted();
          failures.push(toRemoteStorageError(error, { action: ACTION, key }));
        }
      }
    };
    const workers = Array.from({ length: Math.min(SINGLE_IN_FLIGHT, keys.length) }, work);
    await Promise.all(workers);
    return failures;
  }

  async #one(key: string, signal: AbortSignal | undefined): Promise<void> {
    const blob: BlobClient = this.#requests.container.getBlobClient(key);
    const again = { ...this.#requests.retrying(ACTION, key), signal };
    try {
      await retry(again, () =>
        this.#requests.run({ action: ACTION, key, signal }, (abortSignal) =>
          blob.delete({ abortSignal, deleteSnapshots: 'include' }),
        ),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function isGone(status: number, code: string | undefined): boolean {
  return (status >= 200 && status <= 299) || (status === 404 && code === 'BlobNotFound');
}

// What will not pass by itself, and is not the container's fault.
function isRefusal(error: unknown): boolean {
  if (!isRemoteStorageError(error) || error.retryable) return false;
  return error.kind !== 'container-missing' && error.kind !== 'aborted';
}
