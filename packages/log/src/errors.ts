/** Facts about the log concerned, common to all errors of this package. */
export interface LogErrorOptions extends ErrorOptions {
  /** The partition, as `topic-partition`. */
  readonly partition?: string | undefined;
}

/** Everything that this package throws on purpose; `code` says what it is. */
export class LogError extends Error {
  readonly code: `LOGLOFT_LOG_${string}`;
  readonly partition: string | undefined;

  constructor(code: `LOGLOFT_LOG_${string}`, message: string, options: LogErrorOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.partition = options.partition;
  }
}

/**
 * The file system refused: nothing of the call was kept, reading goes on, and a later call may
 * succeed. To a Kafka client it is KAFKA_STORAGE_ERROR (56).
 */
export class LogStorageError extends LogError {
  constructor(
    message: string,
    options: LogErrorOptions & { readonly code?: `LOGLOFT_LOG_${string}` | undefined } = {},
  ) {
    super(options.code ?? 'LOGLOFT_LOG_STORAGE', message, options);
  }
}

/** There is no room: the disk (ENOSPC, EDQUOT) or the byte budget of the memory store is full. */
export class StorageFullError extends LogStorageError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super(message, { ...options, code: 'LOGLOFT_LOG_STORAGE_FULL' });
  }
}

/** A producer's batch does not follow its last one. To a Kafka client: error 45. */
export class OutOfOrderSequenceError extends LogError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super('LOGLOFT_LOG_OUT_OF_ORDER_SEQUENCE', message, options);
  }
}

/** A producer's epoch is older than the one known. To a Kafka client: error 47. */
export class FencedProducerEpochError extends LogError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super('LOGLOFT_LOG_FENCED_PRODUCER_EPOCH', message, options);
  }
}

/** A batch is larger than `segment.bytes`. To a Kafka client: RECORD_LIST_TOO_LARGE (18). */
export class BatchTooLargeError extends LogError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super('LOGLOFT_LOG_BATCH_TOO_LARGE', message, options);
  }
}

/** An offset lies outside of what the call allows. To a Kafka client: OFFSET_OUT_OF_RANGE (1). */
export class LogOffsetOutOfRangeError extends LogError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super('LOGLOFT_LOG_OFFSET_OUT_OF_RANGE', message, options);
  }
}

/** The log, or the segment asked for, is closed or deleted. */
export class LogClosedError extends LogError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super('LOGLOFT_LOG_CLOSED', message, options);
  }
}

/** Bytes of a file of the log are not what they must be. */
export class LogCorruptError extends LogError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super('LOGLOFT_LOG_CORRUPT', message, options);
  }
}

/** A setting is out of range; the message names it as Kafka does. */
export class InvalidLogConfigError extends LogError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super('LOGLOFT_LOG_INVALID_CONFIG', message, options);
  }
}

/** A name that no partition can have, or that another one has. */
export class InvalidPartitionError extends LogError {
  constructor(message: string, options: LogErrorOptions = {}) {
    super('LOGLOFT_LOG_INVALID_PARTITION', message, options);
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'LOGLOFT_LOG_STORAGE_FULL']);

/** Wraps what a file system call threw: full if it says so, any other storage error if not. */
export function storageErrorOf(
  cause: unknown,
  doing: string,
  partition?: string | undefined,
): LogStorageError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const detail = cause instanceof Error ? cause.message : String(cause);
  const options = { cause, partition };
  if (FULL.has(code)) {
    return new StorageFullError(
      `No room is left while ${doing}: ${detail}. Free some, or shorten the retention`,
      options,
    );
  }
  return new LogStorageError(`The storage failed while ${doing}: ${detail}`, options);
}
