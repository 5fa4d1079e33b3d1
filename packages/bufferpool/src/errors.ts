/** What went wrong in a pool, in the words that a caller can act on. */
export type BufferPoolErrorKind =
  | 'exhausted'
  | 'closed'
  | 'too-large'
  | 'too-many-waiters'
  | 'invalid-size'
  | 'invalid-options'
  | 'creation-failed'
  | 'double-release'
  | 'foreign-buffer'
  | 'size-mismatch'
  | 'lease-released'
  | 'diagnostics-off'
  | 'no-seat'
  | 'would-block';

/** The stable code of each kind: one line a code in the README. */
export const BUFFER_POOL_ERROR_CODES: Readonly<Record<BufferPoolErrorKind, string>> = Object.freeze(
  {
    exhausted: 'LOGLOFT_POOL_EXHAUSTED',
    closed: 'LOGLOFT_POOL_CLOSED',
    'too-large': 'LOGLOFT_POOL_TOO_LARGE',
    'too-many-waiters': 'LOGLOFT_POOL_TOO_MANY_WAITERS',
    'invalid-size': 'LOGLOFT_POOL_INVALID_SIZE',
    'invalid-options': 'LOGLOFT_POOL_INVALID_OPTIONS',
    'creation-failed': 'LOGLOFT_POOL_CREATION_FAILED',
    'double-release': 'LOGLOFT_POOL_DOUBLE_RELEASE',
    'foreign-buffer': 'LOGLOFT_POOL_FOREIGN_BUFFER',
    'size-mismatch': 'LOGLOFT_POOL_SIZE_MISMATCH',
    'lease-released': 'LOGLOFT_POOL_LEASE_RELEASED',
    'diagnostics-off': 'LOGLOFT_POOL_DIAGNOSTICS_OFF',
    'no-seat': 'LOGLOFT_POOL_NO_SEAT',
    'would-block': 'LOGLOFT_POOL_WOULD_BLOCK',
  },
);

// Waiting longer, or asking again, may help with these; the others are mistakes of the caller.
const RETRYABLE: ReadonlySet<BufferPoolErrorKind> = new Set([
  'exhausted',
  'too-many-waiters',
  'creation-failed',
  'no-seat',
]);

// Two copies of this package may be installed side by side.
const BRAND = Symbol.for('logloft.error.bufferpool');

/** Everything that a pool throws or rejects with, except the reason of an aborted signal. */
export class BufferPoolError extends Error {
  readonly kind: BufferPoolErrorKind;
  /** `LOGLOFT_POOL_…`, stable. */
  readonly code: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;

  constructor(kind: BufferPoolErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'BufferPoolError';
    this.kind = kind;
    this.code = BUFFER_POOL_ERROR_CODES[kind];
    this.retryable = RETRYABLE.has(kind);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Recognises errors of this package, also those made by another installed copy of it. */
export function isBufferPoolError(value: unknown): value is BufferPoolError {
  return value instanceof Error && BRAND in value;
}
