/** What went wrong in a store, in the words that a caller can act on. */
export type RemoteStorageErrorKind =
  | 'not-found'
  | 'container-missing'
  | 'denied'
  | 'throttled'
  | 'unavailable'
  | 'timeout'
  | 'aborted'
  | 'bad-range'
  | 'precondition'
  | 'corrupt'
  | 'full'
  | 'invalid-configuration';

/** The stable code of each kind. */
export type RemoteStorageErrorCode = `LOGLOFT_REMOTE_${string}`;

const RETRYABLE: ReadonlySet<RemoteStorageErrorKind> = new Set([
  'throttled',
  'unavailable',
  'timeout',
]);

// Two copies of this package may be installed side by side, a plugin's and the broker's.
const BRAND = Symbol.for('logloft.error.remote-storage');

/** Further facts of an error. */
export interface RemoteStorageErrorOptions extends ErrorOptions {
  /** Whether the same call may succeed later. Default: by kind. */
  readonly retryable?: boolean | undefined;
  /** Ms that the store asked to wait (`Retry-After`). */
  readonly retryAfterMs?: number | undefined;
  /** Key of the object concerned. */
  readonly key?: string | undefined;
}

/** Everything that a plugin of remote storage throws. */
export class RemoteStorageError extends Error {
  readonly kind: RemoteStorageErrorKind;
  readonly code: RemoteStorageErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly key: string | undefined;

  constructor(
    kind: RemoteStorageErrorKind,
    message: string,
    options: RemoteStorageErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'RemoteStorageError';
    this.kind = kind;
    this.code = `LOGLOFT_REMOTE_${kind.replaceAll('-', '_').toUpperCase()}`;
    this.retryable = options.retryable ?? RETRYABLE.has(kind);
    this.retryAfterMs = options.retryAfterMs;
    this.key = options.key;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** The thing asked for is not in the store. A missing transaction index is reported by it, too. */
export class RemoteResourceNotFoundError extends RemoteStorageError {
  constructor(message: string, options: RemoteStorageErrorOptions = {}) {
    super('not-found', message, options);
    this.name = 'RemoteResourceNotFoundError';
  }
}

/** Recognises errors of this package, also those made by another installed copy of it. */
export function isRemoteStorageError(value: unknown): value is RemoteStorageError {
  return value instanceof Error && BRAND in value;
}

/** Whether `value` says that something is not in the store. */
export function isNotFound(value: unknown): value is RemoteStorageError {
  return isRemoteStorageError(value) && value.kind === 'not-found';
}
