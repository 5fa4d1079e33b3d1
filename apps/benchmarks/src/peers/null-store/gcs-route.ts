import type { IncomingMessage, ServerResponse } from 'node:http';
import { crc32c } from '@logloft/records';
import { type Body, type NullObjects, sendBody, takeBody } from './null-objects.ts';
import type { Route } from './route.ts';

/** As much of the JSON API of Google Cloud Storage as copies and reads need. */
export const gcsRoute: Route = async (request, response, objects) => {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  if (url.pathname.startsWith('/upload/')) return await upload(request, response, { url, objects });
  const key = decodeURIComponent(url.pathname.split('/o/')[1] ?? '');
  const body = objects.objects.get(key);
  if (request.method === 'DELETE') {
    objects.objects.delete(key);
    response.writeHead(body === undefined ? 404 : 204).end();
    return;
  }
  if (body === undefined) {
    const error = { code: 404, message: 'No such object', errors: [{ reason: 'notFound' }] };
    sendJson(response, 404, { error });
    return;
  }
  if (url.searchParams.get('alt') !== 'media') {
    sendJson(response, 200, resource(key, body));
    return;
  }
  const headers = {
    'content-type': 'application/octet-stream',
    'x-goog-generation': '1',
    'x-goog-stored-content-length': String(body.size),
  };
  await sendBody(request, response, { body, headers });
};

async function upload(
  request: IncomingMessage,
  response: ServerResponse,
  { url, objects }: { readonly url: URL; readonly objects: NullObjects },
): Promise<void> {
  const key = url.searchParams.get('name') ?? '';
  const id = url.searchParams.get('upload_id');
  if (id !== null) {
    objects.grow(id, await takeBody(request, false, objects.upload(id).checksum));
    if (endsObject(request.headers['content-range'] ?? '')) {
      sendJson(response, 200, resource(key, objects.complete(id, key)));
      return;
    }
    const last = objects.upload(id).size - 1;
    response.writeHead(308, { range: `bytes=0-${last}`, 'content-length': '0' }).end();
    return;
  }
  const body = await takeBody(request, true, 0);
  if (url.searchParams.get('uploadType') === 'resumable') {
    const location = new URL(url);
    location.searchParams.set('upload_id', objects.begin());
    response.writeHead(200, { location: location.href, 'content-length': '0' }).end();
    return;
  }
  const content =
    url.searchParams.get('uploadType') === 'multipart' ? contentOf(request, body) : body;
  objects.objects.set(key, content);
  sendJson(response, 200, resource(key, content));
}

/** Whether a piece is the last one: that of an open end, and that which reaches the total. */
function endsObject(range: string): boolean {
  const match = /^bytes (?:\d+-(?<last>\d+|\*)|\*)\/(?<total>\d+|\*)$/.exec(range);
  if (match === null) return true;
  const { last, total } = match.groups ?? {};
  if (last === '*') return true;
  return total !== '*' && (last === undefined || Number(last) + 1 === Number(total));
}

/** The second part of a multipart/related body. */
function contentOf(request: IncomingMessage, body: Body): Body {
  const { bytes } = body;
  if (bytes === undefined) return body;
  const boundary = /boundary="?([^";]+)"?/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  const second = bytes.indexOf(`--${boundary}`, bytes.indexOf(`--${boundary}`) + 1);
  const start = bytes.indexOf('\r\n\r\n', second) + 4;
  const end = bytes.lastIndexOf(`\r\n--${boundary}--`);
  const content = bytes.subarray(start, end);
  return { size: content.length, bytes: Buffer.from(content), checksum: crc32c(content) };
}

function resource(key: string, { size, checksum = 0 }: Body): object {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(checksum);
  return {
    crc32c: sum.toString('base64'),
    kind: 'storage#object',
    name: key,
    bucket: 'bucket',
    generation: '1',
    metageneration: '1',
    size: String(size),
    etag: 'CAE=',
  };
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
  });
  response.end(text);
}
