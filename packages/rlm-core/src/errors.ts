/** The stable codes of {@link RemoteLogError}. */
export type RemoteLogErrorCode =
  /** The catalogue of a partition is still being read; ask again. */
  | 'LOGLOFT_RLM_NOT_READY'
  /** An event was stored, but did not come back within the time allowed. */
  | 'LOGLOFT_RLM_METADATA_TIMEOUT'
  /** A record of the metadata log that cannot be decoded. */
  | 'LOGLOFT_RLM_MALFORMED_METADATA'
  /** A catalogue event in a state that the called method does not take, or for an unknown segment. */
  | 'LOGLOFT_RLM_INVALID_EVENT'
  /** The offset is in no tier's catalogue. */
  | 'LOGLOFT_RLM_OFFSET_OUT_OF_RANGE'
  /** As many remote reads are waiting as may wait. */
  | 'LOGLOFT_RLM_READER_QUEUE_FULL'
  /** What came from the store is not a sequence of record batches. */
  | 'LOGLOFT_RLM_CORRUPT_BATCH'
  /** An index that came from the store twice did not pass its checks. */
  | 'LOGLOFT_RLM_CORRUPT_INDEX'
  /** A local segment whose parts do not fit together; it is not copied. */
  | 'LOGLOFT_RLM_CORRUPT_SEGMENT'
  /** A plugin returned more custom metadata than allowed. */
  | 'LOGLOFT_RLM_CUSTOM_METADATA_TOO_LARGE'
  /** A call of a plugin did not settle, or did not move, in time. */
  | 'LOGLOFT_RLM_STORE_TIMEOUT'
  /** The partition was never handed to this manager, or was taken from it. */
  | 'LOGLOFT_RLM_UNKNOWN_PARTITION'
  /** The manager is closed. */
  | 'LOGLOFT_RLM_CLOSED'
  /** An option or a property has a value that cannot be used. */
  | 'LOGLOFT_RLM_INVALID_OPTION';

const RETRYABLE: ReadonlySet<RemoteLogErrorCode> = new Set([
  'LOGLOFT_RLM_NOT_READY',
  'LOGLOFT_RLM_METADATA_TIMEOUT',
  'LOGLOFT_RLM_READER_QUEUE_FULL',
  'LOGLOFT_RLM_STORE_TIMEOUT',
]);

// Two copies of this package may be installed side by side.
const BRAND = Symbol.for('logloft.error.remote-log');

/** Everything that this package itself throws; what a plugin throws is passed on as it is. */
export class RemoteLogError extends Error {
  readonly code: RemoteLogErrorCode;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;

  constructor(code: RemoteLogErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'RemoteLogError';
    this.code = code;
    this.retryable = RETRYABLE.has(code);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Recognises errors of this package, also those made by another installed copy of it.
 *
 * @param code when given, only errors with this code
 */
export function isRemoteLogError(
  value: unknown,
  code?: RemoteLogErrorCode,
): value is RemoteLogError {
  if (!(value instanceof Error && BRAND in value)) return false;
  return code === undefined || ('code' in value && value.code === code);
}
