import type { IncomingMessage, ServerResponse } from 'node:http';
import { crc32c } from '@logloft/records';

/** Larger bodies are counted and thrown away. */
const KEPT_BYTES = 2 * 1024 * 1024;
const ZEROS = Buffer.alloc(1024 * 1024);

/** What is left of a body. */
export interface Body {
  readonly size: number;
  /** CRC-32C, where the dialect has one. */
  readonly checksum?: number | undefined;
  /** `undefined` for a large one, of which every byte reads as zero. */
  readonly bytes: Buffer | undefined;
}

interface Upload {
  readonly size: number;
  readonly checksum: number;
}

const NOTHING: Upload = { size: 0, checksum: 0 };

/** Objects by key, and uploads that are not complete. */
export class NullObjects {
  readonly objects: Map<string, Body> = new Map();
  readonly uploads: Map<string, Upload> = new Map();
  #nextUpload = 1;

  /** A new upload. */
  begin(): string {
    const id = `upload-${this.#nextUpload}`;
    this.#nextUpload += 1;
    this.uploads.set(id, NOTHING);
    return id;
  }

  /** Bytes of an upload so far, and their checksum. */
  upload(id: string): Upload {
    return this.uploads.get(id) ?? NOTHING;
  }

  /** Adds a part. */
  grow(id: string, { size, checksum = 0 }: Body): void {
    this.uploads.set(id, { size: this.upload(id).size + size, checksum });
  }

  /** Makes an object of an upload. */
  complete(id: string, key: string): Body {
    const body = { ...this.upload(id), bytes: undefined };
    this.uploads.delete(id);
    this.objects.set(key, body);
    return body;
  }
}

/**
 * Takes a body.
 *
 * @param isKept whether a small one is kept
 * @param checksum that of what came before, to go on from; without it none is computed
 */
export async function takeBody(
  request: IncomingMessage,
  isKept: boolean,
  checksum?: number,
): Promise<Body> {
  const kept: Buffer[] = [];
  let size = 0;
  let sum = checksum;
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (sum !== undefined) sum = crc32c(piece, sum);
    if (isKept && size <= KEPT_BYTES) kept.push(piece);
  });
  await new Promise<void>((resolve, reject) => {
    request.once('end', resolve);
    request.once('error', reject);
    request.once('close', resolve);
  });
  const bytes = isKept && size <= KEPT_BYTES ? Buffer.concat(kept) : undefined;
  return { size, bytes, checksum: sum };
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
  let wake: (() => void) | undefined;
  response.on('drain', () => wake?.());
  response.once('close', () => wake?.());
  for (let at = start; at <= end; at += ZEROS.length) {
    const bytes = Math.min(ZEROS.length, end - at + 1);
    const piece = body.bytes?.subarray(at, at + bytes) ?? ZEROS.subarray(0, bytes);
    if (!response.write(piece)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (response.destroyed) return;
    }
  }
  response.end();
}
