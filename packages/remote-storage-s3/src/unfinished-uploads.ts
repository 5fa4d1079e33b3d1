import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3';
import { RemoteStorageError, type RemoveUnfinishedOptions } from '@logloft/remote-storage';
import { decodedKey } from './decoded-key.ts';
import { isNoSuchUpload } from './errors/s3-error.ts';
import type { RequestContext } from './read/head-object.ts';

/** What unfinished uploads are looked for with. */
export interface UnfinishedContext extends RequestContext {
  readonly now: () => number;
}

interface PendingUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly begunMs: number;
}

/**
 * Makes the store forget uploads of parts that nobody will complete.
 *
 * @returns how many
 * @throws RemoteStorageError by kind
 */
export async function removeUnfinishedUploads(
  context: UnfinishedContext,
  options: RemoveUnfinishedOptions,
): Promise<number> {
  const { olderThanMs, prefix = '', signal, onProgress } = options;
  let removed = 0;
  for await (const { key, uploadId, begunMs } of pendingUploads(context, options)) {
    onProgress?.(0);
    // Some stores take the prefix for no more than a hint.
    if (!key.startsWith(prefix) || context.now() - begunMs < olderThanMs) continue;
    if (await abortUpload(context, { key, uploadId }, signal)) removed += 1;
  }
  return removed;
}

interface Marker {
  readonly KeyMarker: string;
  readonly UploadIdMarker?: string;
}

async function* pendingUploads(
  context: RequestContext,
  options: RemoveUnfinishedOptions,
): AsyncGenerator<PendingUpload, void, void> {
  let after: Marker | undefined;
  for (;;) {
    options.signal?.throwIfAborted();
    const page = await fetchPage(context, options, after);
    yield* uploadsOf(page);
    if (!page.IsTruncated) return;
    const next = nextMarker(page);
    if (next.KeyMarker === after?.KeyMarker && next.UploadIdMarker === after.UploadIdMarker) {
      throw new RemoteStorageError('unavailable', 'The list of uploads cannot go on after a page', {
        retryable: false,
      });
    }
    after = next;
  }
}

async function fetchPage(
  { client, calls, settings }: RequestContext,
  { prefix = '', signal }: RemoveUnfinishedOptions,
  after: Marker | undefined,
): Promise<ListMultipartUploadsCommandOutput> {
  const facts = {
    action: 'Listing the unfinished uploads',
    permission: 's3:ListBucketMultipartUploads',
  };
  return await calls.retried(facts, { signal }, (options) =>
    client.send(
      new ListMultipartUploadsCommand({
        Bucket: settings.bucket,
        EncodingType: 'url',
        ...(prefix === '' ? {} : { Prefix: prefix }),
        ...after,
      }),
      options,
    ),
  );
}

function uploadsOf(page: ListMultipartUploadsCommandOutput): readonly PendingUpload[] {
  return (page.Uploads ?? []).flatMap(({ Key: key, UploadId: uploadId, Initiated: begun }) =>
    key === undefined || uploadId === undefined || begun === undefined
      ? []
      : [{ key: decodedKey(key, page.EncodingType), uploadId, begunMs: begun.getTime() }],
  );
}

function nextMarker(page: ListMultipartUploadsCommandOutput): Marker {
  const { NextKeyMarker: key = '', NextUploadIdMarker: uploadId = '' } = page;
  return {
    KeyMarker: decodedKey(key, page.EncodingType),
    ...(uploadId === '' ? {} : { UploadIdMarker: uploadId }),
  };
}

// False when somebody else ended it meanwhile.
async function abortUpload(
  { client, calls, settings }: RequestContext,
  { key, uploadId }: { readonly key: string; readonly uploadId: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const facts = { action: 'Abandoning the upload of', key, permission: 's3:AbortMultipartUpload' };
  try {
    await calls.retried(facts, { signal }, (options) =>
      client.send(
        new AbortMultipartUploadCommand({
          Bucket: settings.bucket,
          Key: key,
          UploadId: uploadId,
        }),
        options,
      ),
    );
    return true;
  } catch (error) {
    if (isNoSuchUpload(error)) return false;
    throw error;
  }
}
