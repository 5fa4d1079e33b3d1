import { sendBody, takeBody } from './null-objects.ts';
import type { Route } from './route.ts';

const ETAG = '"0x8D0000000000000"';

/** As much of Azure Blob Storage as copies and reads need. */
export const azureRoute: Route = async (request, response, objects) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const key = decodeURIComponent(url.pathname);
  const common = {
    etag: ETAG,
    'last-modified': 'Tue, 01 Dec 2026 00:00:00 GMT',
    'x-ms-request-id': '00000000-0000-0000-0000-000000000000',
    'x-ms-version': '2026-04-06',
  };
  if (request.method === 'PUT') {
    const comp = url.searchParams.get('comp');
    const body = await takeBody(request, comp === null);
    // One upload a key: block ids are not looked at.
    if (comp === 'block') objects.grow(key, body);
    else if (comp === 'blocklist') objects.complete(key, key);
    else objects.objects.set(key, body);
    response.writeHead(201, common).end();
    return;
  }
  const body = objects.objects.get(key);
  if (body === undefined || request.method === 'DELETE') {
    const isGone = objects.objects.delete(key);
    response.writeHead(isGone ? 202 : 404, {
      ...common,
      ...(isGone ? {} : { 'x-ms-error-code': 'BlobNotFound' }),
    });
    response.end();
    return;
  }
  const headers = {
    ...common,
    'x-ms-blob-type': 'BlockBlob',
    'x-ms-creation-time': 'Tue, 01 Dec 2026 00:00:00 GMT',
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
  };
  await sendBody(request, response, { body, headers });
};
