import type { Readable } from 'node:stream';

/** A request as the SDK hands it over: signed, and to be sent as it is. */
export interface OutgoingRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly method: string;
  /** Already escaped. */
  readonly path: string;
  /** Not escaped yet; `null` for a name without a value. */
  readonly query?: Readonly<Record<string, string | readonly string[] | null>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer whose body is still to be read. */
export interface IncomingAnswer {
  readonly statusCode: number;
  readonly reason: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** What goes with one request, besides what is sent. */
export interface ExchangeOptions {
  readonly abortSignal?: AbortSignal | undefined;
  /** Told when bytes of this request or of its answer move. */
  readonly onActivity?: (() => void) | undefined;
  /** Whether a good answer is read piece by piece, and not as a document of bounded size. Default false. */
  readonly isStream?: boolean | undefined;
}

/** How long the steps of an exchange may take, in ms. */
export interface ExchangeTimeouts {
  /** Until a connection of the agent is free. */
  readonly queueMs: number;
  /** Until it is connected, TLS included. */
  readonly connectMs: number;
  /** Without a byte sent, and then until the answer begins. */
  readonly silenceMs: number;
}
