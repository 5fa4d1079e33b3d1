import type { BlobDownloadResponseParsed } from '@azure/storage-blob';
import {
  type ByteRange,
  type CallOptions,
  clipByteRange,
  isRemoteStorageError,
  type OpenedBody,
  RemoteStorageError,
  resumedBody,
  type Watchdog,
} from '@logloft/remote-storage';
import type { BlobCall, BlobRequests } from './blob-requests.ts';

const ACTION = 'Reading the object';

// No blob has a byte there. Reads of the whole ask for bytes up to here, since the SDK would else not ask
// for a range, and only answers to ranges tell how long the whole is.
const BEYOND_ALL_BYTES = 2 ** 48;

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
  try {
    return await openRange(body);
  } catch (error) {
    // An object of no bytes has no range; read whole, it is nothing to complain of.
    const isWhole = body.wanted === undefined;
    if (!(isWhole && isRemoteStorageError(error) && error.kind === 'bad-range')) throw error;
    return { pieces: noPieces(), length: 0 };
  }
}

async function* noPieces(): AsyncGenerator<Uint8Array, void, void> {}

async function openRange(body: BodyWanted): Promise<OpenedBody> {
  const { key, requests, version, signal } = body;
  const { start, end: wantedEnd } = body.wanted ?? { start: 0 };
  const end = Math.min(wantedEnd ?? BEYOND_ALL_BYTES, BEYOND_ALL_BYTES);
  const call: BlobCall = { action: ACTION, key, signal };
  const { answer, watchdog } = await requests.open(
    call,
    (abortSignal) =>
      requests.container.getBlobClient(key).download(start, countOf(start, end), {
        abortSignal,
        // The SDK's own resumption takes a cut for an abort, and does not resume.
        maxRetryRequests: 0,
        ...(version === undefined ? {} : { conditions: { ifMatch: version } }),
      }),
    (late) => streamOf(late).destroy(),
  );
  const stream = streamOf(answer);
  try {
    const length = checkedLength(answer, { key, start, end });
    const pieces = new BodyPieces({ stream, watchdog, requests, call });
    return { pieces, length, version: answer.etag };
  } catch (error) {
    stream.destroy();
    watchdog.close();
    throw error;
  }
}

function countOf(start: number, end: number): number | undefined {
  return end === BEYOND_ALL_BYTES && start > 0 ? undefined : end - start + 1;
}

// The answer says three times how long it is: by its length, by its range, and by the whole's length.
function checkedLength(
  answer: BlobDownloadResponseParsed,
  asked: { readonly key: string; readonly start: number; readonly end: number },
): number {
  const { contentLength: length, contentRange = '' } = answer;
  const parts = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(contentRange);
  const [first, last, whole] = (parts ?? []).slice(1).map(Number);
  if (length !== undefined && last !== undefined && whole !== undefined) {
    // Some servers answer with no bytes where others refuse.
    if (asked.start >= whole) throw beyond(asked.key, asked.start, whole);
    const expectedLast = Math.min(asked.end, whole - 1);
    if (first === asked.start && last === expectedLast && length === last - first + 1) {
      return length;
    }
  }
  throw corrupt(
    asked.key,
    `was answered ${length ?? 'no'} bytes as "${contentRange}" where ${asked.start} to ${asked.end} was asked for`,
  );
}

function beyond(key: string, start: number, whole: number): RemoteStorageError {
  return new RemoteStorageError(
    'bad-range',
    `Range starts at ${start}, but the object ${JSON.stringify(key)} has ${whole} bytes`,
    { key },
  );
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
