import {
  apiByKey,
  apiVersionsApi,
  decodeRequestHeader,
  ErrorCode,
  encodeResponse,
  MalformedMessageError,
  type RequestHeader,
} from '@logloft/protocol';
import {
  type ClientConnection,
  ConnectionFault,
  type RequestProcessor,
} from '../network/connection.ts';
import type { ReceivedFrame } from '../network/frame-receiver.ts';
import type { OutgoingResponse } from '../network/response-queue.ts';
import type { BrokerStatistics } from '../statistics/broker-statistics.ts';
import type { Handler } from './handler.ts';
import { Request } from './request.ts';

/** Finds the handler of each request, and turns what goes wrong into an answer or a closed connection. */
export class Router implements RequestProcessor {
  readonly #handlers = new Map<number, Handler>();
  readonly #statistics: BrokerStatistics;

  constructor(handlers: readonly Handler[], statistics: BrokerStatistics) {
    this.#statistics = statistics;
    for (const handler of handlers) this.#handlers.set(handler.api.key, handler);
  }

  process(
    frame: ReceivedFrame,
    client: ClientConnection,
  ): OutgoingResponse | undefined | Promise<OutgoingResponse | undefined> {
    const header = readHeader(frame);
    this.#statistics.countRequest(header.apiKey, frame.bytes.length);
    const handler = this.#handlers.get(header.apiKey);
    if (handler === undefined) {
      frame.release();
      throw new ConnectionFault('the API is not served here', describe(header));
    }
    const { min, max } = handler.versions;
    if (header.apiVersion < min || header.apiVersion > max) {
      frame.release();
      return refuseVersion(header, handler);
    }
    const request = new Request(frame, header, client);
    try {
      const { correlationId, bodyOffset } = header;
      const invocation = { frame: frame.bytes, bodyOffset, correlationId };
      const answer = handler.invoke(invocation, request);
      return answer instanceof Promise ? this.#guard(answer, request, header) : answer;
    } catch (error) {
      throw this.#fault(error, request, header);
    } finally {
      request.finishSynchronousPart();
    }
  }

  async #guard(
    answer: Promise<OutgoingResponse | undefined>,
    request: Request,
    header: RequestHeader,
  ): Promise<OutgoingResponse | undefined> {
    try {
      return await answer;
    } catch (error) {
      throw this.#fault(error, request, header);
    }
  }

  /** What closes the connection, with a log line that tells which request it was. */
  #fault(error: unknown, request: Request, header: RequestHeader): ConnectionFault {
    request.abandon();
    const described = describe(header);
    if (error instanceof MalformedMessageError) {
      return new ConnectionFault(error.message, { ...described, code: error.code });
    }
    if (error instanceof ConnectionFault) {
      const { message, fields, severity } = error;
      return new ConnectionFault(message, { ...described, ...fields }, { cause: error, severity });
    }
    return new ConnectionFault(
      'a request failed unexpectedly',
      { ...described, error },
      { cause: error, severity: 'error' },
    );
  }
}

function readHeader(frame: ReceivedFrame): RequestHeader {
  try {
    return decodeRequestHeader(frame.bytes);
  } catch (error) {
    const claimed = claimedRequest(frame.bytes);
    frame.release();
    throw new ConnectionFault(error instanceof Error ? error.message : String(error), claimed);
  }
}

/** API and version of a request whose header cannot be read to its end. */
function claimedRequest(bytes: Buffer): Readonly<Record<string, unknown>> {
  if (bytes.length < 4) return {};
  const apiKey = bytes.readInt16BE(0);
  return { api: apiByKey(apiKey)?.name ?? apiKey, version: bytes.readInt16BE(2) };
}

/** What the log line of a closed connection says about the request. */
function describe(header: RequestHeader): Readonly<Record<string, unknown>> {
  const { apiKey, apiVersion, clientId } = header;
  return { api: apiByKey(apiKey)?.name ?? apiKey, version: apiVersion, clientId };
}

/**
 * An ApiVersions request of a version that is too new is answered in version 0, so that the client
 * can ask again (KIP-511). For every other API the client was told before, and Kafka closes.
 */
function refuseVersion(header: RequestHeader, handler: Handler): OutgoingResponse {
  const { min, max } = handler.versions;
  if (header.apiKey !== apiVersionsApi.key) {
    throw new ConnectionFault(`version ${header.apiVersion} is not served, only ${min} to ${max}`, {
      ...describe(header),
    });
  }
  return encodeResponse(apiVersionsApi, 0, header.correlationId, {
    errorCode: ErrorCode.UNSUPPORTED_VERSION,
    apiKeys: [{ apiKey: apiVersionsApi.key, minVersion: min, maxVersion: max }],
    throttleTimeMs: 0,
    supportedFeatures: [],
    finalizedFeaturesEpoch: -1,
    finalizedFeatures: [],
    zkMigrationReady: false,
  });
}
