/** What an answer, or the lack of one, tells of a failure. */
export interface FailureFacts {
  /** Status of the answer, where there was one. */
  readonly status: number | undefined;
  /** The service's name for it (`BlobNotFound`), or the system's (`ECONNRESET`). */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** The `Retry-After` header. */
  readonly retryAfter: string | undefined;
  /** The `Date` header: the service's clock. */
  readonly date: string | undefined;
  /** What the service says besides, in one line. */
  readonly detail: string;
}

/**
 * Reads an error of the SDK. Two shapes are known: answers to `HEAD` have no body, and so no `code`; their
 * code is in a header.
 */
export function failureFacts(thrown: unknown): FailureFacts {
  const error = record(thrown);
  const response = record(error['response']);
  const details = record(error['details']);
  const header = (name: string): string | undefined => readHeader(response['headers'], name);
  return {
    status: typeof error['statusCode'] === 'number' ? error['statusCode'] : undefined,
    code: header('x-ms-error-code') ?? text(details['errorCode']) ?? text(error['code']),
    requestId: header('x-ms-request-id') ?? text(details['requestId']),
    retryAfter: header('retry-after'),
    date: header('date'),
    detail: detailOf(error, details, text(response['bodyAsText'])),
  };
}

const MAX_DETAIL_LETTERS = 300;

function detailOf(
  error: Readonly<Record<string, unknown>>,
  details: Readonly<Record<string, unknown>>,
  body: string | undefined,
): string {
  const why =
    text(details['authenticationErrorDetail']) ??
    /<AuthenticationErrorDetail>([^<]*)</i.exec(body ?? '')?.[1];
  // An answer without a body leaves the SDK nothing to say but its own name.
  const said = error['message'] === error['name'] ? '' : (text(error['message']) ?? '');
  // The service ends its sentences with the id and the time of the request, which are told elsewhere.
  const first = said.split(/\r?\n|\s*RequestId:/)[0] ?? '';
  const whole = why === undefined ? first : `${first} ${why}`;
  return whole.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL_LETTERS).replace(/\.$/, '');
}

function readHeader(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null || !('get' in headers)) return undefined;
  const { get } = headers;
  return typeof get === 'function' ? text(get.call(headers, name)) : undefined;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  // Any object may be looked into; what is found is checked where it is used.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
