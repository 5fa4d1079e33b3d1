/** Why a request failed, in the words of the JSON API. */
export type GcsErrorReason =
  | 'authError'
  | 'backendError'
  | 'conditionNotMet'
  | 'conflict'
  | 'forbidden'
  | 'invalid'
  | 'methodNotAllowed'
  | 'notFound'
  | 'notImplemented'
  | 'parseError'
  | 'quotaExceeded'
  | 'rateLimitExceeded'
  | 'required'
  | 'requestedRangeNotSatisfiable'
  | 'uploadCancelled'
  | 'uploadTooLarge';

/** The status that goes with a reason when nothing else is said. */
const STATUSES: Readonly<Record<GcsErrorReason, number>> = {
  authError: 401,
  backendError: 503,
  conditionNotMet: 412,
  conflict: 409,
  forbidden: 403,
  invalid: 400,
  methodNotAllowed: 405,
  notFound: 404,
  notImplemented: 501,
  parseError: 400,
  quotaExceeded: 507,
  rateLimitExceeded: 429,
  required: 400,
  requestedRangeNotSatisfiable: 416,
  uploadCancelled: 499,
  uploadTooLarge: 413,
};

/**
 * A request that the service would refuse. It becomes an answer; users of the stub see it thrown only
 * where they name a bucket themselves.
 */
export class GcsError extends Error {
  readonly reason: GcsErrorReason;
  readonly status: number;

  constructor(
    reason: GcsErrorReason,
    message: string,
    options: { readonly status?: number | undefined } = {},
  ) {
    super(message);
    this.name = 'GcsError';
    this.reason = reason;
    this.status = options.status ?? STATUSES[reason];
  }
}

/** The document that the JSON API sends with an error. */
export function errorDocument(options: {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}): string {
  const { status, reason, message } = options;
  const errors = [{ message, domain: 'global', reason }];
  return JSON.stringify({ error: { code: status, message, errors } });
}

/** The reason that the service gives with a status, for scripted failures that name none. */
export function reasonOf(status: number): string {
  if (status === 503 || (status >= 500 && status !== 501)) return 'backendError';
  for (const [reason, known] of Object.entries(STATUSES)) if (known === status) return reason;
  return 'invalid';
}
