import { RemoteStorageError, type UploadPart, withDeadline } from '@logloft/remote-storage';
import { crcToBase64 } from '../checksums/crc32c.ts';
import { OPERATIONS } from '../gcs-operation.ts';
import type { GcsRequest } from '../http/gcs-request.ts';
import type { GcsTransport, WholeAnswer } from '../http/gcs-transport.ts';

const CANCEL_DEADLINE_MS = 5_000;

// How a session says that it is not there any more, or was cancelled.
const GONE: ReadonlySet<number> = new Set([404, 410, 499]);
const MORE = 308;

/** How the server stands: how many bytes it has, or the answer that says that the object is whole. */
type Standing = { readonly next: number } | { readonly whole: string };

/** A session of one upload in pieces, which goes on where the store says that it stands. */
export class ResumableSession {
  readonly #transport: GcsTransport;
  readonly #key: string;
  readonly #url: URL;
  readonly #onMoved: (() => void) | undefined;
  // Whether something was sent whose answer is not known: then the store is asked first.
  #uncertain = false;
  #over = false;
  #forgotten = false;

  private constructor(
    transport: GcsTransport,
    { key, onMoved }: Pick<GcsRequest, 'onMoved'> & { readonly key: string },
    url: URL,
  ) {
    this.#transport = transport;
    this.#key = key;
    this.#url = url;
    this.#onMoved = onMoved;
  }

  /**
   * Begins a session.
   *
   * @param start the request that begins it
   * @throws RemoteStorageError by kind, `precondition` already when the object exists; the reason of
   *   the signal
   */
  static async start(
    transport: GcsTransport,
    start: GcsRequest & { readonly key: string },
    signal: AbortSignal,
  ): Promise<ResumableSession> {
    const { headers } = await transport.send(start, signal);
    const url = sessionUrl(headers.location, start.key, transport.isSecure);
    return new ResumableSession(transport, start, url);
  }

  /** Whether the store does not know the session any more, so that all has to be sent anew. */
  get isForgotten(): boolean {
    return this.#forgotten;
  }

  /**
   * Sends a part, or what of it the store has not got yet.
   *
   * @param crc checksum of the whole object, with its last part
   * @returns with the last part, the resource of the object
   * @throws RemoteStorageError by kind; the reason of the signal
   */
  async send(
    part: UploadPart,
    crc: number | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const end = part.offset + part.bytes.byteLength;
    const total = part.isLast ? String(end) : '*';
    const asked: Standing = this.#uncertain
      ? await this.#put({ range: `bytes */${total}` }, signal)
      : { next: part.offset };
    let standing = asked;
    while (!('whole' in standing) && standing.next < end) {
      const { next } = standing;
      if (next < part.offset) throw this.#lost('has lost bytes that it had confirmed');
      standing = await this.#put(
        {
          range: `bytes ${next}-${end - 1}/${total}`,
          bytes: part.bytes.subarray(next - part.offset),
          crc,
        },
        signal,
      );
      if (!('whole' in standing) && standing.next <= next) throw this.#stuck(next);
    }
    if ('whole' in standing) {
      this.#over = true;
      if (part.isLast) return standing.whole;
      throw this.#corrupt('ended the upload before its last part');
    }
    if (standing.next > end) throw this.#corrupt(`has ${standing.next} bytes of ${end} sent`);
    // It has everything, and yet does not say that it is done: the next attempt asks.
    this.#uncertain = part.isLast;
    if (part.isLast) throw this.#stuck(end);
    return undefined;
  }

  /** Makes the store forget the session, unless it is over. Never throws; settles within 5 s. */
  async cancel(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    const transport = this.#transport;
    const { operation } = { operation: OPERATIONS.cancel };
    const request = { operation, key: this.#key, method: 'DELETE', target: this.#url } as const;
    await withDeadline(
      { clock: transport.clock, ms: CANCEL_DEADLINE_MS, action: operation.action },
      (signal) => transport.send(request, signal, [...GONE]),
    ).catch(() => undefined);
  }

  async #put(piece: PieceOptions, signal: AbortSignal): Promise<Standing> {
    const { range, bytes, crc } = piece;
    this.#uncertain = true;
    const answer = await this.#transport.send(
      {
        operation: OPERATIONS.write,
        key: this.#key,
        method: 'PUT',
        target: this.#url,
        headers: {
          'content-range': range,
          ...(crc === undefined ? {} : { 'x-goog-hash': `crc32c=${crcToBase64(crc)}` }),
        },
        body: bytes === undefined ? [] : [bytes],
        onMoved: this.#onMoved,
      },
      signal,
      [MORE, ...GONE],
    );
    this.#uncertain = false;
    if (GONE.has(answer.status)) throw this.#lost('does not know the upload any more');
    return answer.status === MORE ? { next: this.#nextOf(answer) } : { whole: answer.text };
  }

  // Without a range nothing is stored yet.
  #nextOf({ headers }: WholeAnswer): number {
    const { range } = headers;
    if (range === undefined) return 0;
    const last = Number(/^(?:bytes=)?0-(\d+)$/.exec(range)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(last)) return last + 1;
    throw this.#corrupt(`says that it has the range ${JSON.stringify(range.slice(0, 100))}`);
  }

  #lost(what: string): RemoteStorageError {
    this.#forgotten = true;
    this.#over = true;
    return this.#error('unavailable', what, false);
  }

  #stuck(at: number): RemoteStorageError {
    return this.#error('unavailable', `stays at byte ${at} whatever is sent`, true);
  }

  #corrupt(what: string): RemoteStorageError {
    return this.#error('corrupt', what, false);
  }

  #error(kind: 'unavailable' | 'corrupt', what: string, retryable: boolean): RemoteStorageError {
    return new RemoteStorageError(
      kind,
      `Writing the object ${JSON.stringify(this.#key)} failed: the store ${what}`,
      { key: this.#key, retryable },
    );
  }
}

interface PieceOptions {
  readonly range: string;
  readonly bytes?: Uint8Array | undefined;
  readonly crc?: number | undefined;
}

// What begins encrypted does not go on in the clear.
function sessionUrl(location: string | undefined, key: string, mustBeSecure: boolean): URL {
  const url = location === undefined ? null : URL.parse(location);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && !mustBeSecure)) return url;
  throw new RemoteStorageError(
    'unavailable',
    `Writing the object ${JSON.stringify(key)} failed: the store began an upload without a usable address where it goes on`,
    { key, retryable: false },
  );
}
