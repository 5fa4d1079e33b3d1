import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { Clock } from '@logloft/clock';
import {
  announcedLength,
  forwardedHeaders,
  forwardedRequestHeaders,
  withLength,
} from './forwarded-headers.ts';
import { pause, untilAborted } from './pause.ts';
import type { ProxyExchange, ProxyFault } from './proxy-fault.ts';
import { type Flow, pump } from './pump.ts';

/** A {@link ProxyExchange} while it is written. */
export type ExchangeRecord = { -readonly [Field in keyof ProxyExchange]: ProxyExchange[Field] };

/** What an exchange is played on. */
export interface ExchangeParties {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the client sends its body only when it is told to. */
  readonly asksFirst: boolean;
  readonly target: { readonly host: string; readonly port: number };
  readonly clock: Clock;
  readonly record: ExchangeRecord;
}

type FaultOf<T extends ProxyFault['type']> = Extract<ProxyFault, { readonly type: T }>;

/** One request from its arrival to its end, with what is done to it. */
export class ProxiedExchange {
  readonly #parties: ExchangeParties;
  readonly #clientGone = new AbortController();
  // Kept alive, or a target that answers early closes and resets what it is still being sent.
  readonly #connection = new Agent({ keepAlive: true });
  #upstream: ClientRequest | undefined;

  constructor(parties: ExchangeParties) {
    this.#parties = parties;
    // Also the end of a whole answer, when there is nothing left that minds.
    parties.response.once('close', () => this.#clientGone.abort(new Error('the client left')));
    parties.request.on('error', () => undefined);
  }

  /** Never rejects: what went wrong is in the record. */
  async play(): Promise<void> {
    const { record, request } = this.#parties;
    try {
      record.outcome = await this.#play(record.fault);
    } catch {
      record.outcome = this.#clientGone.signal.aborted ? 'client-gone' : 'target-failed';
      breakOff(request.socket, true);
    } finally {
      this.#upstream?.destroy();
      this.#connection.destroy();
      // What is left of a body would keep its connection from the next request.
      request.resume();
    }
  }

  async #play(fault: ProxyFault | undefined): Promise<'answered' | 'cut'> {
    const { request, clock } = this.#parties;
    const { signal } = this.#clientGone;
    switch (fault?.type) {
      case 'reset':
        breakOff(request.socket, true);
        return 'cut';
      case 'status':
        return await this.#answerWith(fault);
      case 'blackhole':
        this.#welcomeBody();
        request.resume();
        return await untilAborted(signal);
      case 'delay': {
        const body = readAhead(request);
        await pause(clock, fault.ms, signal);
        return await this.#forward(undefined, body);
      }
      default:
        return await this.#forward(fault);
    }
  }

  async #answerWith(fault: FaultOf<'status'>): Promise<'answered'> {
    const { request, response, record, asksFirst } = this.#parties;
    const { status, retryAfterSeconds, headers = {}, body = '', readBody = true } = fault;
    if (readBody) {
      this.#welcomeBody();
      for await (const _ of request);
    }
    record.status = status;
    response.writeHead(status, {
      ...headers,
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      'content-length': Buffer.byteLength(body),
      // A body that was announced, and is now not wanted, may come or not: nobody can go on here.
      ...(asksFirst && !readBody ? { connection: 'close' } : {}),
    });
    return await this.#finish(request.method === 'HEAD' ? '' : body);
  }

  async #forward(
    fault: ProxyFault | undefined,
    body: Readable = this.#parties.request,
  ): Promise<'answered' | 'cut'> {
    const { request, clock, target, record } = this.#parties;
    this.#welcomeBody();
    const upstream = requestOf({
      host: target.host,
      port: target.port,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: forwardedRequestHeaders(request.rawHeaders),
      agent: this.#connection,
    });
    this.#upstream = upstream;
    const { signal } = this.#clientGone;
    signal.addEventListener('abort', () => upstream.destroy(), { once: true });
    const answered = answerOf(upstream);
    const cut = fault?.type === 'cut-request' ? fault : undefined;
    const sent = pump(body, upstream, {
      clock,
      signal,
      limitBytes: cut?.afterBytes,
      bytesPerSecond: fault?.type === 'throttle' ? fault.upBytesPerSecond : undefined,
      onBytes: (bytes) => {
        record.requestBytes += bytes;
      },
    }).then((end) => {
      if (end === 'all') upstream.end();
      return end;
    });
    // A target may answer, and close, before it has the whole body.
    const sentOrAnswered = sent.then<IncomingMessage | 'limit', IncomingMessage>(
      (end) => (end === 'limit' ? end : answered),
      () => answered,
    );
    const answer = await Promise.race([answered, sentOrAnswered]);
    if (answer !== 'limit') return await this.#passBack(answer, fault);
    if (upstream.socket !== null) breakOff(upstream.socket, cut?.reset === true);
    return this.#cut(cut?.reset);
  }

  async #passBack(
    answer: IncomingMessage,
    fault: ProxyFault | undefined,
  ): Promise<'answered' | 'cut'> {
    const { request, response, record } = this.#parties;
    if (fault?.type === 'drop-response') {
      for await (const _ of answer);
      return this.#cut(fault.reset);
    }
    const lie = fault?.type === 'wrong-length' ? lieOf(answer, fault.offByBytes) : undefined;
    const headers = forwardedHeaders(answer.rawHeaders);
    record.status = answer.statusCode;
    response.sendDate = false;
    response.writeHead(
      answer.statusCode ?? 502,
      answer.statusMessage,
      lie === undefined ? headers : withLength(headers, lie.claimedBytes),
    );
    if (request.method === 'HEAD') return await this.#finish('');
    if (lie === undefined) return await this.#passBackBody(answer, fault);
    await this.#pumpBack(answer, { limitBytes: lie.claimedBytes });
    return lie.tooMany ? this.#cut(false) : await this.#finish('');
  }

  async #passBackBody(
    answer: IncomingMessage,
    fault: ProxyFault | undefined,
  ): Promise<'answered' | 'cut'> {
    const end = await this.#pumpBack(answer, {
      limitBytes: limitOf(fault),
      bytesPerSecond: fault?.type === 'throttle' ? fault.downBytesPerSecond : undefined,
    });
    if (end === 'all') return await this.#finish('');
    if (fault?.type === 'stall-response') return await untilAborted(this.#clientGone.signal);
    return this.#cut(fault?.type === 'truncate-response' && fault.reset);
  }

  async #pumpBack(
    answer: IncomingMessage,
    bounds: Pick<Flow, 'limitBytes' | 'bytesPerSecond'>,
  ): Promise<'all' | 'limit'> {
    const { response, record, clock } = this.#parties;
    return await pump(answer, response, {
      ...bounds,
      clock,
      signal: this.#clientGone.signal,
      onBytes: (bytes) => {
        record.responseBytes += bytes;
      },
    });
  }

  #cut(reset: boolean | undefined): 'cut' {
    const { request } = this.#parties;
    if (!reset) request.resume();
    breakOff(request.socket, reset === true);
    return 'cut';
  }

  #welcomeBody(): void {
    if (this.#parties.asksFirst) this.#parties.response.writeContinue();
  }

  async #finish(body: string): Promise<'answered'> {
    const { response } = this.#parties;
    const finished = new Promise<'answered'>((resolve) => {
      response.once('finish', () => resolve('answered'));
    });
    response.end(body);
    return await Promise.race([finished, untilAborted(this.#clientGone.signal)]);
  }
}

// A connection that nobody reads from does not tell that its client left.
function readAhead(request: IncomingMessage): Readable {
  const body = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
  pipeline(request, body, () => undefined);
  return body;
}

function limitOf(fault: ProxyFault | undefined): number | undefined {
  const isLimit = fault?.type === 'truncate-response' || fault?.type === 'stall-response';
  return isLimit ? fault.afterBytes : undefined;
}

function lieOf(
  answer: IncomingMessage,
  offByBytes: number,
): { readonly claimedBytes: number; readonly tooMany: boolean } | undefined {
  const announced = announcedLength(answer.rawHeaders);
  if (announced === undefined || offByBytes === 0) return undefined;
  return { claimedBytes: Math.max(0, announced + offByBytes), tooMany: offByBytes > 0 };
}

function answerOf(upstream: ClientRequest): Promise<IncomingMessage> {
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', (message) => {
      // Whoever reads the body gets its failure; one that nobody reads must not end the process.
      message.on('error', () => undefined);
      resolve(message);
    });
    // Stays on: a connection may fail more than once.
    upstream.on('error', reject);
    upstream.once('close', () => reject(new Error('the target closed without an answer')));
  });
  answer.catch(() => undefined);
  return answer;
}

// After a FIN what the other side still sends is read and thrown away; a reset would overtake our bytes.
function breakOff(socket: Socket, reset: boolean): void {
  if (reset) socket.resetAndDestroy();
  else socket.end();
}
