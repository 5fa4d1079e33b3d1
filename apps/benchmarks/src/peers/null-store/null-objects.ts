import type { IncomingMessage, ServerResponse } from 'node:http';

/** Larger bodies are counted and thrown away. */
const KEPT_BYTES = 1024 * 1024;
const ZEROS = Buffer.alloc(1024 * 1024);

/** What is left of a body. */
export interface Body {
  readonly size: number;
  /** `undefined` for a large one, of which every byte reads as zero. */
  readonly bytes: Buffer | undefined;
}

/** Objects by key, and uploads that are not complete. */
export class NullObjects {
  readonly objects: Map<string, Body> = new Map();
  readonly uploads: Map<string, number> = new Map();
  #nextUpload = 1;

  /** A new upload. */
  begin(): string {
    const id = `upload-${this.#nextUpload}`;
    this.#nextUpload += 1;
    this.uploads.set(id, 0);
    return id;
  }

  /** Adds a part of so many bytes. */
  grow(id: string, bytes: number): void {
    this.uploads.set(id, (this.uploads.get(id) ?? 0) + bytes);
  }

  /** Makes an object of an upload. */
  complete(id: string, key: string): Body {
    const body = { size: this.uploads.get(id) ?? 0, bytes: undefined };
    this.uploads.delete(id);
    this.objects.set(key, body);
    return body;
  }
}

/** Takes a body. @param isKept decides whether a small one is kept */
export async function takeBody(request: IncomingMessage, isKept: boolean): Promise<Body> {
  const kept: Buffer[] = [];
  let size = 0;
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (isKept && size <= KEPT_BYTES) kept.push(piece);
  });
  await new Promise<void>((resolve, reject) => {
    request.once('end', resolve);
    request.once('error', reject);
    request.once('close', resolve);
  });
  return { size, bytes: isKept && size <= KEPT_BYTES ? Buffer.concat(kept) : undefined };
}

/** Sends an object or the range of it that was asked for. */
export async function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers }: { readonly body: Body; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const asked = request.headers.range ?? request.headers['x-ms-range'];
  const match = /^bytes=(\d+)-(\d*)$/.exec(typeof asked === 'string' ? asked : '');
  const start = Number(match?.[1] ?? 0);
  const last = match?.[2] === undefined || match[2] === '' ? body.size - 1 : Number(match[2]);
  const end = Math.min(last, body.size - 1);
  const length = Math.max(0, end - start + 1);
  response.writeHead(match === null ? 200 : 206, {
    ...headers,
    'content-length': String(length),
    ...(match === null ? {} : { 'content-range': `bytes ${start}-${end}/${body.size}` }),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  for (let at = start; at <= end; at += ZEROS.length) {
    const bytes = Math.min(ZEROS.length, end - at + 1);
    const piece = body.bytes?.subarray(at, at + bytes) ?? ZEROS.subarray(0, bytes);
    if (!response.write(piece)) {
      await new Promise<void>((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
      if (response.destroyed) return;
    }
  }
  response.end();
}
