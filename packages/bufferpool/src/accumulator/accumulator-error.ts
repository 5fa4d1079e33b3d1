/** What went wrong in a record accumulator, in the words that a caller can act on. */
export type AccumulatorErrorKind =
  | 'closed'
  | 'aborted'
  | 'delivery-timeout'
  | 'not-in-flight'
  | 'batch-released'
  | 'invalid-record'
  | 'invalid-options';

/** The stable code of each kind: one line a code in the README. */
export const ACCUMULATOR_ERROR_CODES: Readonly<Record<AccumulatorErrorKind, string>> =
  Object.freeze({
    closed: 'LOGLOFT_ACCUMULATOR_CLOSED',
    aborted: 'LOGLOFT_ACCUMULATOR_ABORTED',
    'delivery-timeout': 'LOGLOFT_ACCUMULATOR_DELIVERY_TIMEOUT',
    'not-in-flight': 'LOGLOFT_ACCUMULATOR_NOT_IN_FLIGHT',
    'batch-released': 'LOGLOFT_ACCUMULATOR_BATCH_RELEASED',
    'invalid-record': 'LOGLOFT_ACCUMULATOR_INVALID_RECORD',
    'invalid-options': 'LOGLOFT_ACCUMULATOR_INVALID_OPTIONS',
  });

// Two copies of this package may be installed side by side.
const BRAND = Symbol.for('logloft.error.accumulator');

/** What an accumulator throws or rejects with, besides the errors of its pool. */
export class AccumulatorError extends Error {
  readonly kind: AccumulatorErrorKind;
  /** `LOGLOFT_ACCUMULATOR_…`, stable. */
  readonly code: string;
  /** Whether the same records may be appended again with success; they may have arrived already. */
  readonly retryable: boolean;

  constructor(kind: AccumulatorErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'AccumulatorError';
    this.kind = kind;
    this.code = ACCUMULATOR_ERROR_CODES[kind];
    this.retryable = kind === 'delivery-timeout';
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Recognises errors of the accumulator, also those made by another installed copy of this package. */
export function isAccumulatorError(value: unknown): value is AccumulatorError {
  return value instanceof Error && BRAND in value;
}
