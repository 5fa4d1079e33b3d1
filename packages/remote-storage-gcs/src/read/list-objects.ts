import {
  type ListOptions,
  type ObjectHead,
  RemoteStorageError,
  type RetryOptions,
  retry,
} from '@logloft/remote-storage';
import { OPERATIONS } from '../gcs-operation.ts';
import { bucketPath, query } from '../http/gcs-request.ts';
import type { GcsTransport } from '../http/gcs-transport.ts';
import { field, parsedJson, textField } from '../json-fields.ts';
import { sizeField } from '../stored-object.ts';

/** What {@link listObjects} needs. */
export interface ListObjectsOptions extends ListOptions {
  readonly transport: GcsTransport;
  readonly retry: Omit<RetryOptions, 'signal'>;
}

const PAGE_OBJECTS = '1000';

interface Page {
  readonly heads: readonly ObjectHead[];
  readonly next: string | undefined;
}

/** All objects in the byte order of their keys, a page of 1,000 when it is asked for. */
export async function* listObjects(
  options: ListObjectsOptions,
): AsyncGenerator<ObjectHead, void, void> {
  const { signal } = options;
  let token: string | undefined;
  do {
    const page = await retry({ ...options.retry, signal }, () => onePage(options, token));
    yield* page.heads;
    signal?.throwIfAborted();
    if (page.next !== undefined && page.next === token) throw unreadable('repeats a page for ever');
    token = page.next;
  } while (token !== undefined);
}

async function onePage(
  { transport, prefix = '', signal }: ListObjectsOptions,
  token: string | undefined,
): Promise<Page> {
  const parameters = query({
    prefix: prefix === '' ? undefined : prefix,
    maxResults: PAGE_OBJECTS,
    pageToken: token,
    fields: 'items(name,size),nextPageToken',
  });
  const target = `${bucketPath(transport.bucket)}/o${parameters}`;
  const request = { operation: OPERATIONS.list, method: 'GET', target } as const;
  const { text } = await transport.send(request, signal);
  return pageOf(text);
}

function pageOf(text: string): Page {
  const page = parsedJson(text);
  if (typeof page !== 'object' || page === null) throw unreadable('is no list of objects');
  const items = field(page, 'items') ?? [];
  if (!Array.isArray(items)) throw unreadable('has no list of objects');
  const next = textField(page, 'nextPageToken');
  return { heads: items.map(headOf), next: next === '' ? undefined : next };
}

function headOf(item: unknown): ObjectHead {
  const name = textField(item, 'name');
  const size = sizeField(item);
  if (name !== undefined && size !== undefined) return { key: name, size };
  throw unreadable('has an object without a name or a size');
}

function unreadable(problem: string): RemoteStorageError {
  return new RemoteStorageError(
    'unavailable',
    `Listing objects failed: the store's answer ${problem}`,
    { retryable: false },
  );
}
