import { type ApiDescription, decodeRequest, encodeResponse } from '@logloft/protocol';
import type { ClientConnection } from '../network/connection.ts';
import type { OutgoingResponse } from '../network/response-queue.ts';

/** What a handler knows of a request besides its body. */
export interface RequestContext {
  readonly apiVersion: number;
  readonly clientId: string | null;
  readonly client: ClientConnection;
  /**
   * Keeps the request's frame, and all views of it in the body, after the handler has returned its
   * promise. Otherwise they are valid until the first `await`.
   *
   * @returns to be called once nothing of the frame is needed
   */
  retainFrame(): () => void;
  /** Calls `release` once the response was handed to the operating system, or never will be. */
  onSent(release: () => void): void;
}

type Answer<Response> = Response | undefined | Promise<Response | undefined>;

/** Handles the requests of one API, in all versions. */
export interface Handler {
  readonly api: ApiDescription;
  readonly versions: { readonly min: number; readonly max: number };
  /**
   * @throws MalformedMessageError when the body is not a request of that version
   */
  invoke(
    request: {
      readonly frame: Buffer;
      readonly bodyOffset: number;
      readonly correlationId: number;
    },
    context: RequestContext & { readonly sent: readonly (() => void)[] },
  ): Answer<OutgoingResponse>;
}

/** Settings of a handler. */
export interface HandlerOptions<Request extends object, Response extends object> {
  readonly api: ApiDescription<Request, Response>;
  /** Versions to advertise. */
  readonly versions: { readonly min: number; readonly max: number };
  /** Answers with a body, or with nothing where the protocol wants that (`acks=0`). */
  readonly handle: (request: Request, context: RequestContext) => Answer<Response>;
}

/** Makes a handler whose `handle` sees nothing but decoded messages. */
export function defineHandler<Request extends object, Response extends object>(
  options: HandlerOptions<Request, Response>,
): Handler {
  const { api, versions, handle } = options;
  return {
    api,
    versions,
    invoke({ frame, bodyOffset, correlationId }, context) {
      const { apiVersion, sent } = context;
      const encode = (body: Response | undefined): OutgoingResponse | undefined => {
        if (body === undefined) {
          for (const release of sent) release();
          return undefined;
        }
        const { chunks } = encodeResponse(api, apiVersion, correlationId, body);
        if (sent.length === 0) return { chunks };
        return {
          chunks,
          release: () => {
            for (const release of sent) release();
          },
        };
      };
      const body = handle(decodeRequest(api, apiVersion, frame, bodyOffset), context);
      return body instanceof Promise ? body.then(encode) : encode(body);
    },
  };
}
