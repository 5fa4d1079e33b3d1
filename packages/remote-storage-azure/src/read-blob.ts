import type { BlobDownloadResponseParsed } from '@azure/storage-blob';
import {
  type ByteRange,
  type CallOptions,
  clipByteRange,
  type OpenedBody,
  RemoteStorageError,
  resumedBody,
  type Watchdog,
} from '@logloft/remote-storage';
import type { BlobCall, BlobRequests } from './blob-requests.ts';

const ACTION = 'Reading the object';

// No blob has a byte there: a range that ends beyond it has no end, which keeps it within what servers
// can count.
const MAX_BLOB_BYTES = 2 ** 48;

/** Reads an object or a range of it, in one request unless the answer is cut. */
export async function readBlob(
  what: { readonly key: string; readonly requests: BlobRequests },
  range: ByteRange | undefined,
  options: CallOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { key, requests } = what;
  if (range !== undefined) clipByteRange(range, Number.MAX_SAFE_INTEGER);
  return await resumedBody({
    ...options,
    key,
    range,
    idleMs: requests.tuning.idleTimeoutMs,
    retry: requests.retrying(ACTION, key),
    open: (wanted, version, signal) => openBody({ key, requests, wanted, version, signal }),
  });
}

interface BodyWanted {
  readonly key: string;
  readonly requests: BlobRequests;
  readonly wanted: ByteRange | undefined;
  readonly version: string | undefined;
  readonly signal: AbortSignal;
}

async function openBody(body: BodyWanted): Promise<OpenedBody> {
  const { key, requests, version, signal } = body;
  const wanted = openEnded(body.wanted);
  const call: BlobCall = { action: ACTION, key, signal };
  const { start = 0, end } = wanted ?? {};
  const { answer, watchdog } = await requests.open(
    call,
    (abortSignal) =>
      requests.container.getBlobClient(key).download(start, count(wanted), {
        abortSignal,
        // The SDK's own resumption takes a cut for an abort, and does not resume.
        maxRetryRequests: 0,
        ...(version === undefined ? {} : { conditions: { ifMatch: version } }),
      }),
    dropAnswer,
  );
  const stream = streamOf(answer);
  try {
    const length = checkedLength(answer, { key, wanted, end });
    return {
      pieces: new BodyPieces({ stream, watchdog, requests, call }),
      length,
      version: answer.etag,
    };
  } catch (error) {
    stream.destroy();
    watchdog.close();
    throw error;
  }
}

function openEnded(range: ByteRange | undefined): ByteRange | undefined {
  if (range?.end === undefined || range.end < MAX_BLOB_BYTES) return range;
  return { start: range.start };
}

function count(range: ByteRange | undefined): number | undefined {
  return range?.end === undefined ? undefined : range.end - range.start + 1;
}

// From the first byte to the end is no range for the SDK, and so no bad one for the service when the
// object is empty.
function checkedLength(
  answer: BlobDownloadResponseParsed,
  asked: {
    readonly key: string;
    readonly wanted: ByteRange | undefined;
    readonly end: number | undefined;
  },
): number {
  const { key, wanted, end = Number.POSITIVE_INFINITY } = asked;
  const { contentLength: length, contentRange } = answer;
  if (length === undefined) throw corrupt(key, 'did not say how long it is');
  if (wanted === undefined) return length;
  if (length === 0) {
    throw new RemoteStorageError('bad-range', `The object ${JSON.stringify(key)} is empty`, {
      key,
    });
  }
  const wholeAsked = wanted.start === 0 && wanted.end === undefined;
  const first = wholeAsked ? 0 : Number(/^bytes (\d+)-/.exec(contentRange ?? '')?.[1]);
  if (first !== wanted.start || length > end - wanted.start + 1) {
    throw corrupt(
      key,
      `gave ${length} bytes as "${contentRange ?? 'the whole'}" where ${wanted.start} to ${wanted.end ?? 'the end'} was asked for`,
    );
  }
  return length;
}

function corrupt(key: string, problem: string): RemoteStorageError {
  return new RemoteStorageError('corrupt', `Reading the object ${JSON.stringify(key)} ${problem}`, {
    key,
  });
}

interface DestroyableStream extends AsyncIterable<unknown> {
  destroy(): unknown;
  on(event: 'error', listener: () => void): unknown;
}

function streamOf({ readableStreamBody }: BlobDownloadResponseParsed): DestroyableStream {
  // In Node it is always one of Node's streams, whose type the SDK only sketches.
  const stream = readableStreamBody as unknown as DestroyableStream;
  // A connection that is cut before anybody reads must not end the process.
  stream.on('error', () => undefined);
  return stream;
}

function dropAnswer(answer: BlobDownloadResponseParsed): void {
  streamOf(answer).destroy();
}

/** The bytes of an answer. However it ends, its connection is free for others, or closed. */
class BodyPieces implements AsyncIterableIterator<Uint8Array> {
  readonly #stream: DestroyableStream;
  readonly #pieces: AsyncIterator<unknown>;
  readonly #watchdog: Watchdog;
  readonly #requests: BlobRequests;
  readonly #call: BlobCall;

  constructor(options: {
    readonly stream: DestroyableStream;
    readonly watchdog: Watchdog;
    readonly requests: BlobRequests;
    readonly call: BlobCall;
  }) {
    this.#stream = options.stream;
    this.#pieces = options.stream[Symbol.asyncIterator]();
    this.#watchdog = options.watchdog;
    this.#requests = options.requests;
    this.#call = options.call;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      const result = await this.#pieces.next();
      if (result.done) {
        this.#watchdog.close();
        return { done: true, value: undefined };
      }
      if (result.value instanceof Uint8Array) return { done: false, value: result.value };
      throw corrupt(this.#call.key ?? '', 'gave something else than bytes');
    } catch (error) {
      const { signal } = this.#watchdog;
      await this.return();
      if (signal.aborted) throw signal.reason;
      throw this.#cut(error);
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#stream.destroy();
    this.#watchdog.close();
    return { done: true, value: undefined };
  }

  // A cut shows as an abort that nobody asked for, or as an error without a code.
  #cut(thrown: unknown): RemoteStorageError {
    const known = this.#requests.failure(thrown, this.#call);
    if (known.kind !== 'unavailable' || known.retryable) return known;
    return new RemoteStorageError('unavailable', known.message, {
      cause: thrown,
      key: known.key,
      retryable: true,
    });
  }
}
