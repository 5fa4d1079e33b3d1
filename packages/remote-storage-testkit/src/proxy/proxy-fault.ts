/** Something that a {@link FaultProxy} does to a request, instead of only passing it on. */
export type ProxyFault =
  /** Answers by itself; the target never hears of the request. */
  | {
      readonly type: 'status';
      /** Usually 429, 500 or 503. */
      readonly status: number;
      /** Seconds for a `Retry-After` header. */
      readonly retryAfterSeconds?: number | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** Default no bytes. */
      readonly body?: string | undefined;
      /** Whether the request's body is read before the answer. Default true. */
      readonly readBody?: boolean | undefined;
    }
  /** Passes the request on only after so many ms; its body waits in memory. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Takes the request, and never answers. */
  | { readonly type: 'blackhole' }
  /** Resets the connection at once. */
  | { readonly type: 'reset' }
  /** Breaks both connections off when so many bytes of the body were passed on; a body without more passes whole. */
  | {
      readonly type: 'cut-request';
      readonly afterBytes: number;
      readonly reset?: boolean | undefined;
    }
  /** Breaks the answer off after so many bytes of its body; a body without more passes whole. */
  | {
      readonly type: 'truncate-response';
      readonly afterBytes: number;
      readonly reset?: boolean | undefined;
    }
  /** Gives so many bytes of the answer's body and then nothing more, with the connection open. */
  | { readonly type: 'stall-response'; readonly afterBytes: number }
  /** Lets the target carry the request out, and loses its answer: the client cannot know. */
  | { readonly type: 'drop-response'; readonly reset?: boolean | undefined }
  /** Holds the bodies to a rate in bytes per second; a direction without one is not held. */
  | {
      readonly type: 'throttle';
      readonly upBytesPerSecond?: number | undefined;
      readonly downBytesPerSecond?: number | undefined;
    }
  /**
   * Announces a `Content-Length` that is off by so many bytes. Below 0 the body ends where it was
   * announced to end, a silent truncation; above 0 the connection ends before all that was announced.
   * An answer that announces no length passes.
   */
  | { readonly type: 'wrong-length'; readonly offByBytes: number };

/** A request that reached a proxy. */
export interface ProxyRequest {
  /** Number of the request among all of the proxy, from 1. */
  readonly number: number;
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly path: string;
}

/** How far an exchange came. */
export type ProxyOutcome =
  /** It is under way. */
  | 'open'
  /** The client got a whole answer, be it a false one. */
  | 'answered'
  /** The proxy broke it off, as it was told to. */
  | 'cut'
  /** The client left before the answer was whole. */
  | 'client-gone'
  /** The target could not be reached, or broke off by itself. */
  | 'target-failed';

/** What became of a request; the figures of one under way still grow. */
export interface ProxyExchange extends ProxyRequest {
  /** What was done to it; `undefined` when it was only passed on. */
  readonly fault: ProxyFault | undefined;
  /** Status that the client was sent, if any. */
  readonly status: number | undefined;
  /** Bytes of its body that were passed on. */
  readonly requestBytes: number;
  /** Bytes of an answer's body that were passed back. */
  readonly responseBytes: number;
  readonly outcome: ProxyOutcome;
}
