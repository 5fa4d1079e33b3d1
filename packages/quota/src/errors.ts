/** An option or argument of this package is out of range. Code `LOGLOFT_QUOTA_INVALID_OPTION`. */
export class InvalidQuotaOptionError extends Error {
  override readonly name = 'InvalidQuotaOptionError';
  readonly code = 'LOGLOFT_QUOTA_INVALID_OPTION';
}

/** As many callers wait as may wait. Code `LOGLOFT_QUOTA_QUEUE_FULL`. */
export class QuotaQueueFullError extends Error {
  override readonly name = 'QuotaQueueFullError';
  readonly code = 'LOGLOFT_QUOTA_QUEUE_FULL';

  constructor(maxWaiters: number) {
    super(
      `At most ${maxWaiters} callers may wait for this quota, and that many do; ` +
        'try again later, or raise maxWaiters.',
    );
  }
}

/** The time that a caller was willing to wait is over. Code `LOGLOFT_QUOTA_TIMEOUT`. */
export class QuotaTimeoutError extends Error {
  override readonly name = 'QuotaTimeoutError';
  readonly code = 'LOGLOFT_QUOTA_TIMEOUT';

  constructor(timeoutMs: number) {
    super(
      `The quota must have room within ${timeoutMs} ms, but had none; nothing was taken. ` +
        'Try again later, allow more time, or raise the limit.',
    );
  }
}

/** The quota or pacer was closed. Those who waited are rejected with it. Code `LOGLOFT_QUOTA_CLOSED`. */
export class QuotaClosedError extends Error {
  override readonly name = 'QuotaClosedError';
  readonly code = 'LOGLOFT_QUOTA_CLOSED';

  constructor() {
    super('The quota is closed: it admits nothing any more; make a new one to go on.');
  }
}

/** As many keys are in use as may be. Code `LOGLOFT_QUOTA_TOO_MANY_KEYS`. */
export class TooManyQuotaKeysError extends Error {
  override readonly name = 'TooManyQuotaKeysError';
  readonly code = 'LOGLOFT_QUOTA_TOO_MANY_KEYS';

  constructor(maxKeys: number) {
    super(
      `At most ${maxKeys} keys may be in use at a time, and that many are within their windows; ` +
        'refuse the newcomer, or raise maxKeys.',
    );
  }
}

/** Another quota uses the same sensor of the registry. Code `LOGLOFT_QUOTA_NAME_TAKEN`. */
export class QuotaNameTakenError extends Error {
  override readonly name = 'QuotaNameTakenError';
  readonly code = 'LOGLOFT_QUOTA_NAME_TAKEN';

  constructor(sensorName: string) {
    super(
      `The registry has a sensor '${sensorName}' already, so this quota could not be measured; ` +
        'give the quota another sensor name, or close the one that has it.',
    );
  }
}

/** A reservation was settled a second time. Code `LOGLOFT_QUOTA_RESERVATION_ENDED`. */
export class ReservationEndedError extends Error {
  override readonly name = 'ReservationEndedError';
  readonly code = 'LOGLOFT_QUOTA_RESERVATION_ENDED';

  constructor() {
    super(
      'The reservation has been settled or released already, and its bytes would count twice; ' +
        'settle each reservation once (release() after settle() is harmless).',
    );
  }
}
