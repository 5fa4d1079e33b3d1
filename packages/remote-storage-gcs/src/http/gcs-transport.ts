import { Agent, type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Clock } from '@logloft/clock';
import { RemoteStorageError } from '@logloft/remote-storage';
import type { AuthHeaders } from '../auth/auth-headers.ts';
import { answerFailure, dateOf, missingThing } from '../gcs-error.ts';
import { OPERATIONS } from '../gcs-operation.ts';
import type { ResolvedTuning } from '../gcs-settings.ts';
import type { AnswerPieces } from './answer-pieces.ts';
import { exchange } from './exchange.ts';
import { bucketPath, type Endpoint, endpointOf, type GcsRequest } from './gcs-request.ts';

/** An answer whose body is still to come. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly pieces: AnswerPieces;
}

/** An answer with its whole body. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What a {@link GcsTransport} is made of. */
export interface GcsTransportOptions {
  readonly endpoint: URL;
  readonly bucket: string;
  readonly auth: AuthHeaders;
  readonly clock: Clock;
  readonly tuning: ResolvedTuning;
}

// Pages of 1,000 names of 1,024 bytes, with room for what JSON adds.
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
// Shorter than the patience of servers and of what is between, so that few are closed under a request.
const IDLE_CONNECTION_MS = 30_000;
// What operators of buckets look for in their logs.
const USER_AGENT = '@logloft/remote-storage-gcs';
const MAX_FAILURE_BYTES = 64 * 1024;

/**
 * Sends requests to the store over connections of its own. (The SDK's way of sending can neither be
 * aborted nor does it notice every connection that is cut; its credentials are used.) Everything ends:
 * by the signal, by silence, or because the transport is closed.
 */
export class GcsTransport {
  readonly bucket: string;
  readonly clock: Clock;
  readonly #endpoint: Endpoint;
  readonly #origin: string;
  readonly #auth: AuthHeaders;
  readonly #tuning: ResolvedTuning;
  readonly #agents = new Map<boolean, Agent>();
  readonly #closing = new AbortController();

  constructor(options: GcsTransportOptions) {
    this.bucket = options.bucket;
    this.clock = options.clock;
    this.#endpoint = endpointOf(options.endpoint);
    this.#origin = options.endpoint.origin;
    this.#auth = options.auth;
    this.#tuning = options.tuning;
  }

  /** Whether the store is spoken to over TLS. */
  get isSecure(): boolean {
    return this.#endpoint.secure;
  }

  /** Connections that are in use now, for tests and reports. */
  get connectionsInUse(): number {
    const agents = [...this.#agents.values()];
    const lists = agents.flatMap((agent) => Object.values(agent.sockets));
    return lists.reduce((total, sockets) => total + (sockets?.length ?? 0), 0);
  }

  /**
   * Sends a request, and waits for the beginning of its answer, whatever its status.
   *
   * @throws RemoteStorageError by kind when there is no answer; the reason of the signal
   */
  async open(request: GcsRequest, signal: AbortSignal | undefined): Promise<OpenAnswer> {
    this.assertOpen();
    signal?.throwIfAborted();
    const trusted = this.#isTrusted(request.target);
    const credentials = trusted ? await this.#auth.headers(signal) : {};
    const answer = await this.#send(request, credentials, signal);
    if (answer.status !== 401 || !trusted) return answer;
    // The token may have been revoked, or may have expired on the way.
    if (!(await this.#auth.renew(credentials, signal).catch(() => false))) return answer;
    answer.pieces.drop();
    return await this.#send(request, await this.#auth.headers(signal), signal);
  }

  /**
   * Sends a request, and takes in the whole answer.
   *
   * @param accepted statuses that are no failure besides 2xx
   * @throws RemoteStorageError by kind; the reason of the signal
   */
  async send(
    request: GcsRequest,
    signal: AbortSignal | undefined,
    accepted: readonly number[] = [],
  ): Promise<WholeAnswer> {
    const { status, headers, pieces } = await this.open(request, signal);
    if (!isSuccess(status) && !accepted.includes(status)) {
      throw await this.failure(request, { status, headers, pieces }, signal);
    }
    const text = await textOf(pieces, MAX_TEXT_BYTES);
    if (text === undefined) {
      throw new RemoteStorageError(
        'unavailable',
        `${request.operation.action} failed: the answer has more than ${MAX_TEXT_BYTES} bytes`,
        { key: request.key, retryable: false },
      );
    }
    return { status, headers, text };
  }

  /** Makes the error of an answer that is a failure, and ends the answer. */
  async failure(
    request: GcsRequest,
    { status, headers, pieces }: OpenAnswer,
    signal: AbortSignal | undefined,
  ): Promise<RemoteStorageError> {
    const { operation, key } = request;
    const text = (await textOf(pieces, MAX_FAILURE_BYTES)) ?? '';
    const failed = { operation, bucket: this.bucket, key };
    const answer = { status, headers, text, nowMs: this.clock.now() };
    if (status === 404 && key !== undefined && missingThing(text) === undefined) {
      if (await this.#bucketIsMissing(signal)) {
        return answerFailure({ ...failed, key: undefined }, answer);
      }
    }
    return answerFailure(failed, answer);
  }

  /**
   * Wall-clock ms at the store, whatever else it answers.
   *
   * @throws RemoteStorageError by kind when there is no answer; the reason of the signal
   */
  async serverTime(signal: AbortSignal | undefined): Promise<number> {
    this.assertOpen();
    const operation = OPERATIONS.bucket;
    const target = `${bucketPath(this.bucket)}?fields=name`;
    const { headers, pieces } = await this.#send({ operation, method: 'GET', target }, {}, signal);
    await textOf(pieces, MAX_FAILURE_BYTES);
    const storeMs = dateOf(headers);
    if (storeMs !== undefined) return storeMs;
    throw new RemoteStorageError(
      'unavailable',
      `${operation.action} ${JSON.stringify(this.bucket)} failed: the answer does not tell the time`,
      { retryable: false },
    );
  }

  /** @throws RemoteStorageError `aborted` after {@link GcsTransport.close} */
  assertOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  /** Ends all requests under way, and refuses further ones. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(
      new RemoteStorageError('aborted', 'The Google Cloud Storage store is closed; open it anew'),
    );
    for (const agent of this.#agents.values()) {
      if (agent !== this.#tuning.agent) agent.destroy();
    }
  }

  async #send(
    request: GcsRequest,
    credentials: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<OpenAnswer> {
    const { target } = request;
    const { secure, hostname, port, basePath } =
      typeof target === 'string' ? this.#endpoint : endpointOf(target);
    const path = typeof target === 'string' ? basePath + target : target.pathname + target.search;
    return await exchange({
      request,
      bucket: this.bucket,
      send: secure ? secureRequest : plainRequest,
      settings: {
        method: request.method,
        hostname,
        port,
        path,
        headers: { 'user-agent': USER_AGENT, ...request.headers, ...credentials },
        agent: this.#agentFor(secure),
      },
      clock: this.clock,
      tuning: this.#tuning,
      signals: [signal, this.#closing.signal],
    });
  }

  // Credentials go to the store alone, wherever an answer may point.
  #isTrusted(target: string | URL): boolean {
    return typeof target === 'string' || target.origin === this.#origin;
  }

  #agentFor(secure: boolean): Agent {
    const { agent: given, maxConnections } = this.#tuning;
    if (given !== undefined) return given;
    let agent = this.#agents.get(secure);
    if (agent === undefined) {
      const settings = {
        keepAlive: true,
        maxSockets: maxConnections,
        scheduling: 'lifo',
        // Of connections that nobody uses; those in use have their own timers.
        timeout: IDLE_CONNECTION_MS,
      } as const;
      agent = secure ? new SecureAgent(settings) : new Agent(settings);
      this.#agents.set(secure, agent);
    }
    return agent;
  }

  // Only asked after a 404 that does not say what is missing. Without the right to look, nobody knows.
  async #bucketIsMissing(signal: AbortSignal | undefined): Promise<boolean> {
    try {
      const target = `${bucketPath(this.bucket)}?fields=name`;
      const operation = OPERATIONS.bucket;
      const answer = await this.open({ operation, method: 'GET', target }, signal);
      await textOf(answer.pieces, MAX_FAILURE_BYTES);
      return answer.status === 404;
    } catch {
      signal?.throwIfAborted();
      return false;
    }
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

// `undefined` when there is more than that.
async function textOf(pieces: AnswerPieces, maxBytes: number): Promise<string | undefined> {
  const kept: Uint8Array[] = [];
  let total = 0;
  for await (const piece of pieces) {
    total += piece.byteLength;
    if (total > maxBytes) return undefined;
    kept.push(piece);
  }
  return Buffer.concat(kept).toString('utf8');
}
