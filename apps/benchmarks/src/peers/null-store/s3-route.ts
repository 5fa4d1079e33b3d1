import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NullObjects, sendBody, takeBody } from './null-objects.ts';
import type { Route } from './route.ts';

const ETAG = '"0123456789abcdef0123456789abcdef"';

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly objects: NullObjects;
  readonly key: string;
  readonly query: URLSearchParams;
}

/** As much of S3 as copies and reads need. */
export const s3Route: Route = async (request, response, objects) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const key = decodeURIComponent(url.pathname);
  const call = { request, response, objects, key, query: url.searchParams };
  switch (request.method) {
    case 'PUT':
      return await put(call);
    case 'POST':
      return await post(call);
    case 'DELETE':
      objects.objects.delete(key);
      response.writeHead(204).end();
      return;
    default:
      return await get(call);
  }
};

async function put({ request, response, objects, key, query }: Call): Promise<void> {
  const uploadId = query.get('uploadId');
  const body = await takeBody(request, uploadId === null);
  if (uploadId === null) objects.objects.set(key, body);
  else objects.grow(uploadId, body);
  response.writeHead(200, { etag: ETAG }).end();
}

async function post({ request, response, objects, key, query }: Call): Promise<void> {
  await takeBody(request, false);
  const uploadId = query.get('uploadId');
  response.writeHead(200, { 'content-type': 'application/xml' });
  if (query.has('delete')) {
    response.end('<DeleteResult></DeleteResult>');
  } else if (uploadId === null) {
    response.end(
      `<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>${objects.begin()}</UploadId></InitiateMultipartUploadResult>`,
    );
  } else {
    objects.complete(uploadId, key);
    response.end(
      `<CompleteMultipartUploadResult><ETag>${ETAG}</ETag></CompleteMultipartUploadResult>`,
    );
  }
}

async function get({ request, response, objects, key }: Call): Promise<void> {
  const body = objects.objects.get(key);
  if (/^\/[^/]+\/?$/.test(key)) {
    // The bucket is there.
    response.writeHead(200).end();
    return;
  }
  if (body === undefined) {
    response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    return;
  }
  await sendBody(request, response, { body, headers: { etag: ETAG } });
}
