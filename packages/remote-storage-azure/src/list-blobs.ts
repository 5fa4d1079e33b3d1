import type { ContainerListBlobFlatSegmentResponse } from '@azure/storage-blob';
import {
  compareKeys,
  type ListOptions,
  type ObjectHead,
  RemoteStorageError,
  retry,
} from '@logloft/remote-storage';
import type { BlobRequests } from './blob-requests.ts';
import { checkedSize } from './checked-size.ts';

const ACTION = 'Listing objects';

/** Lists objects page by page; each page is a request of its own, and tried again by itself. */
export async function* listBlobs(
  requests: BlobRequests,
  { prefix = '', signal, onProgress }: ListOptions,
): AsyncGenerator<ObjectHead, void, void> {
  const again = { ...requests.retrying(ACTION), signal };
  let continuationToken: string | undefined;
  do {
    const token = continuationToken;
    const page = await retry(again, () => onePage(requests, { prefix, signal, token }));
    onProgress?.(0);
    for (const head of headsOf(page)) {
      signal?.throwIfAborted();
      yield head;
    }
    continuationToken = page.continuationToken;
    // It would never end.
    if (continuationToken && continuationToken === token) {
      throw new RemoteStorageError('corrupt', `${ACTION} got the same page twice`);
    }
  } while (continuationToken);
}

async function onePage(
  requests: BlobRequests,
  asked: {
    readonly prefix: string;
    readonly signal: AbortSignal | undefined;
    readonly token: string | undefined;
  },
): Promise<ContainerListBlobFlatSegmentResponse> {
  const { container, tuning } = requests;
  const { prefix, signal, token } = asked;
  return await requests.run({ action: ACTION, signal }, async (abortSignal) => {
    const pages = container
      .listBlobsFlat({ abortSignal, ...(prefix === '' ? {} : { prefix }) })
      .byPage({
        maxPageSize: tuning.pageKeys,
        ...(token === undefined ? {} : { continuationToken: token }),
      });
    for await (const page of pages) return page;
    throw new TypeError('A listing has one page at least');
  });
}

// The service lists in the order of the names. Where it sees that otherwise than we do (it does not say
// how it compares letters beyond the basic plane), a page is put right.
function headsOf({ segment }: ContainerListBlobFlatSegmentResponse): readonly ObjectHead[] {
  const heads = segment.blobItems.map(({ name, properties }) => ({
    key: name,
    size: checkedSize(properties.contentLength, name),
  }));
  return heads.sort((a, b) => compareKeys(a.key, b.key));
}
