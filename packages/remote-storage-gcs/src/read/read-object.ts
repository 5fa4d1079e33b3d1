import type { IncomingHttpHeaders } from 'node:http';
import {
  type ByteRange,
  type CallOptions,
  clipByteRange,
  type OpenedBody,
  ReleasingStream,
  RemoteStorageError,
  type RetryOptions,
  resumedBody,
} from '@logloft/remote-storage';
import { crc32c, crcToBase64 } from '../checksums/crc32c.ts';
import { OPERATIONS } from '../gcs-operation.ts';
import { type GcsRequest, objectPath, query } from '../http/gcs-request.ts';
import type { GcsTransport, OpenAnswer } from '../http/gcs-transport.ts';

/** What {@link readObject} needs. */
export interface ReadObjectOptions extends CallOptions {
  readonly transport: GcsTransport;
  readonly key: string;
  readonly range?: ByteRange | undefined;
  readonly retry: Omit<RetryOptions, 'signal'>;
  readonly idleMs: number;
  /** Whether an object that is read whole is compared with its CRC32C. */
  readonly verify: boolean;
}

/**
 * Reads an object or a range with one request, and goes on after a cut with the same generation.
 *
 * @throws RemoteStorageError by kind, before the first piece; later `corrupt`
 */
export async function readObject(options: ReadObjectOptions): Promise<AsyncIterable<Uint8Array>> {
  const { range, key, verify } = options;
  // A malformed range must not reach the store, which would give the whole object for it.
  if (range !== undefined) clipByteRange(range, Number.MAX_SAFE_INTEGER);
  let stored: string | undefined;
  const pieces = await resumedBody({
    ...options,
    open: async (asked, version, signal) => {
      const opened = await openBody(options, { range: asked, version }, signal);
      if (version === undefined && range === undefined) stored = opened.crc32c;
      return opened;
    },
  });
  if (!verify || stored === undefined) return pieces;
  return verified(pieces, { key, stored, signal: options.signal });
}

interface Wanted {
  readonly range: ByteRange | undefined;
  readonly version: string | undefined;
}

interface OpenedObject extends OpenedBody {
  /** The checksum of the whole object in base64, where the bytes come as they are stored. */
  readonly crc32c: string | undefined;
}

async function openBody(
  { transport, key }: ReadObjectOptions,
  { range, version }: Wanted,
  signal: AbortSignal,
): Promise<OpenedObject> {
  const path = objectPath(transport.bucket, key);
  const request: GcsRequest = {
    operation: OPERATIONS.read,
    key,
    method: 'GET',
    target: path + query({ alt: 'media', generation: version }),
    headers: {
      // Otherwise what is stored compressed would be unpacked on the way, and ranges ignored.
      'accept-encoding': 'gzip',
      'cache-control': 'no-store',
      ...(range === undefined ? {} : { range: `bytes=${range.start}-${range.end ?? ''}` }),
    },
  };
  const answer = await transport.open(request, signal);
  if (answer.status === (range === undefined ? 200 : 206)) {
    try {
      return opened(answer, range, request);
    } catch (error) {
      answer.pieces.drop();
      throw error;
    }
  }
  if (answer.status === 200) {
    answer.pieces.drop();
    throw strange(request, 'gave the whole object although a range was asked for');
  }
  const failure = await transport.failure(request, answer, signal);
  if (version === undefined || failure.kind !== 'not-found') throw failure;
  throw new RemoteStorageError(
    'precondition',
    `The object ${JSON.stringify(key)} was replaced or deleted while it was read`,
    { key, cause: failure },
  );
}

function opened(
  { headers, pieces }: OpenAnswer,
  range: ByteRange | undefined,
  request: GcsRequest,
): OpenedObject {
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(length)) throw strange(request, 'did not say how many bytes it gives');
  if (range !== undefined) assertRange(headers['content-range'], { range, length, request });
  assertAsStored(headers, { isWhole: range === undefined, length, request });
  const generation = headers['x-goog-generation'];
  return {
    pieces,
    length,
    version: typeof generation === 'string' ? generation : undefined,
    crc32c: crcOf(headers['x-goog-hash']),
  };
}

function assertRange(
  header: string | undefined,
  {
    range,
    length,
    request,
  }: { readonly range: ByteRange; readonly length: number; readonly request: GcsRequest },
): void {
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header ?? '') ?? [];
  const { end = Number.MAX_SAFE_INTEGER } = range;
  // Only where the object ends may an answer end before what was asked for.
  const lastWanted = size === '*' ? range.end : Math.min(end, Number(size ?? Number.NaN) - 1);
  const endsRight = lastWanted === undefined || Number(last) === lastWanted;
  const asked = Number(first) === range.start && endsRight;
  if (asked && Number(last) - Number(first) + 1 === length) return;
  throw strange(
    request,
    `gave the range ${header} in ${length} bytes instead of ${range.start}-${range.end ?? ''}`,
  );
}

// Something on the way may pack the bytes, or shorten them; what is stored packed comes as it is.
function assertAsStored(
  headers: IncomingHttpHeaders,
  {
    isWhole,
    length,
    request,
  }: { readonly isWhole: boolean; readonly length: number; readonly request: GcsRequest },
): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  const stored = headers['x-goog-stored-content-encoding'] ?? 'identity';
  if (encoding !== stored) {
    throw strange(request, `gave the bytes as ${encoding}, but they are stored as ${stored}`);
  }
  const whole = headers['x-goog-stored-content-length'] ?? String(length);
  if (isWhole && Number(whole) !== length) {
    throw strange(request, `gave ${length} bytes of ${whole}`);
  }
}

// `crc32c=AAAAAA==,md5=…`, the header possibly given twice and then joined.
function crcOf(header: string | readonly string[] | undefined): string | undefined {
  return /(?:^|[\s,])crc32c=([A-Za-z0-9+/]{6}==)/.exec(String(header ?? ''))?.[1];
}

function strange({ operation, key }: GcsRequest, what: string): RemoteStorageError {
  return new RemoteStorageError(
    'unavailable',
    `${operation.action} ${JSON.stringify(key)} failed: the store ${what}`,
    { key, retryable: false },
  );
}

function verified(
  pieces: AsyncIterable<Uint8Array>,
  {
    key,
    stored,
    signal,
  }: { readonly key: string; readonly stored: string; readonly signal: AbortSignal | undefined },
): AsyncIterable<Uint8Array> {
  const inner = pieces[Symbol.asyncIterator]();
  let crc = 0;
  return new ReleasingStream<Uint8Array>({
    signal,
    next: async () => {
      const result = await inner.next();
      if (!result.done) {
        crc = crc32c(result.value, crc);
        return result;
      }
      if (crcToBase64(crc) === stored) return { done: true, value: undefined };
      throw new RemoteStorageError(
        'corrupt',
        `Reading the object ${JSON.stringify(key)} gave bytes with the CRC32C ${crcToBase64(crc)}, but ${stored} is stored; read it again, and restore it from a copy if that stays so`,
        { key },
      );
    },
    release: async () => {
      await inner.return?.();
    },
  });
}
