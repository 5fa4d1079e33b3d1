import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { type ListOptions, type ObjectHead, RemoteStorageError } from '@logloft/remote-storage';
import { decodedKey } from './decoded-key.ts';
import type { RequestContext } from './read/head-object.ts';

/** All objects in the order of the store, a page at a time. @throws RemoteStorageError by kind */
export async function* listObjects(
  context: RequestContext,
  { prefix = '', signal, onProgress }: ListOptions,
): AsyncGenerator<ObjectHead, void, void> {
  let token: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const page = await fetchPage(context, { prefix, token, signal });
    onProgress?.(0);
    for (const { Key: encoded, Size: size } of page.Contents ?? []) {
      signal?.throwIfAborted();
      if (encoded === undefined || size === undefined) throw broken('named no key or size');
      yield { key: decodedKey(encoded, page.EncodingType), size };
    }
    if (!page.IsTruncated) return;
    const next = page.NextContinuationToken;
    if (next === undefined || next === token) throw broken('cannot go on after a page');
    token = next;
  }
}

async function fetchPage(
  { client, calls, settings }: RequestContext,
  page: {
    readonly prefix: string;
    readonly token: string | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<ListObjectsV2CommandOutput> {
  const { prefix, token, signal } = page;
  const facts = { action: 'Listing the objects', permission: 's3:ListBucket' };
  return await calls.retried(facts, { signal }, (options) =>
    client.send(
      new ListObjectsV2Command({
        Bucket: settings.bucket,
        // XML cannot hold every key, and what reads it may trim them.
        EncodingType: 'url',
        ...(prefix === '' ? {} : { Prefix: prefix }),
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
      options,
    ),
  );
}

function broken(problem: string): RemoteStorageError {
  return new RemoteStorageError('unavailable', `The listing of the store ${problem}`, {
    retryable: false,
  });
}
