import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { type CallOptions, isNotFound, type RemoteStorageError } from '@logloft/remote-storage';
import type { CallFacts } from './errors/call-facts.ts';
import { toS3Error } from './errors/s3-error.ts';
import type { RequestContext } from './read/head-object.ts';
import { tuned } from './tuned-command.ts';

/** What deletes are made with. */
export interface DeleteContext extends RequestContext {
  readonly now: () => number;
}

const MAX_BATCH = 1_000;
const SIDE_BY_SIDE = 8;
const FACTS = {
  action: 'Deleting the object',
  permission: 's3:DeleteObject',
  feature: 'batch-delete',
} as const;

/**
 * Deletes objects, as many at a time as the store can. All are tried, whatever becomes of the others.
 *
 * @throws RemoteStorageError the first failure
 */
export async function deleteObjects(
  context: DeleteContext,
  keys: readonly string[],
  options: CallOptions,
): Promise<void> {
  const unique = [...new Set(keys)];
  const { signal, onProgress } = options;
  const isBatched = unique.length > 1 && context.settings.deleteObjects === 'batch';
  const failures: unknown[] = [];
  const size = isBatched ? MAX_BATCH : SIDE_BY_SIDE;
  for (let at = 0; at < unique.length; at += size) {
    signal?.throwIfAborted();
    const some = unique.slice(at, at + size);
    const work = isBatched
      ? [deleteBatch(context, some, signal)]
      : some.map((key) => deleteOne(context, key, signal));
    for (const outcome of await Promise.allSettled(work)) {
      if (outcome.status === 'rejected') failures.push(outcome.reason);
    }
    onProgress?.(0);
  }
  signal?.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}

async function deleteOne(
  { client, calls, settings }: DeleteContext,
  key: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await calls
    .retried({ ...FACTS, feature: undefined, key }, { signal }, (options) =>
      client.send(new DeleteObjectCommand({ Bucket: settings.bucket, Key: key }), options),
    )
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

// What a batch says of each key decides over it: those that may yet go are tried again, and no others.
async function deleteBatch(
  context: DeleteContext,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let left = keys;
  let lasting: RemoteStorageError | undefined;
  await context.calls.repeated(FACTS, { signal }, async (inner) => {
    const failed = await sendBatch(context, left, inner);
    lasting ??= failed.find((failure) => !failure.retryable);
    const again = failed.filter((failure) => failure.retryable);
    left = again.flatMap(({ key }) => (key === undefined ? [] : [key]));
    if (again[0] !== undefined) throw again[0];
  });
  if (lasting !== undefined) throw lasting;
}

async function sendBatch(
  { client, calls, settings, now }: DeleteContext,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly RemoteStorageError[]> {
  const { bucket, deleteMd5 } = settings;
  const { Errors: errors = [] } = await calls.once(batchFacts(keys), { signal }, (options) =>
    client.send(
      tuned(
        new DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Quiet: true, Objects: keys.map((key) => ({ Key: key })) },
        }),
        { md5: deleteMd5, withoutChecksums: deleteMd5 },
      ),
      options,
    ),
  );
  return errors
    .map(({ Key: key, Code: code, Message: said }) => {
      const thrown = Object.assign(new Error(said ?? ''), { code: code ?? 'Unknown' });
      return toS3Error(thrown, { ...FACTS, key }, { bucket, nowMs: now() });
    })
    .filter((failure) => !isNotFound(failure));
}

function batchFacts(keys: readonly string[]): CallFacts {
  return { ...FACTS, action: `Deleting ${keys.length} objects, first`, key: keys[0] };
}
