/** Codes of errors of configuration. */
export type ConfigErrorCode =
  /** There is no such property. */
  | 'LOGLOFT_CONFIG_UNKNOWN_KEY'
  /** The value is not of the type, or out of range. */
  | 'LOGLOFT_CONFIG_INVALID_VALUE'
  /** Two properties, or two names of one, contradict each other. */
  | 'LOGLOFT_CONFIG_CONFLICT'
  /** The text of a file cannot be read. */
  | 'LOGLOFT_CONFIG_SYNTAX'
  /** The value asks for a feature that is not served. */
  | 'LOGLOFT_CONFIG_UNSUPPORTED'
  /** The property can be set at start only. */
  | 'LOGLOFT_CONFIG_READ_ONLY'
  /** The request to change it makes no sense: a key twice, an unknown operation, no value. */
  | 'LOGLOFT_CONFIG_INVALID_CHANGE';

/** What a {@link ConfigError} is about. */
export interface ConfigErrorFacts {
  /** The property, as it was written. */
  readonly key: string;
  /** What is wrong, and what would be right; a sentence. */
  readonly reason: string;
  /** Where it was written: a file and line, a variable, a flag. */
  readonly origin?: string | undefined;
  /** The known name that resembles an unknown one most. */
  readonly nearest?: string | undefined;
}

/** Errors of the Kafka protocol that a {@link ConfigError} is answered with. */
export type ConfigProtocolError = 'INVALID_CONFIG' | 'INVALID_REQUEST';

/** A configuration that the broker does not start with, or a change that it does not accept. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;
  readonly key: string;
  readonly reason: string;
  readonly origin: string | undefined;
  readonly nearest: string | undefined;
  /** What a client that caused it is answered. */
  readonly protocolError: ConfigProtocolError;

  constructor(code: ConfigErrorCode, facts: ConfigErrorFacts) {
    super(facts.origin === undefined ? facts.reason : `${facts.reason} (${facts.origin})`);
    this.name = 'ConfigError';
    this.code = code;
    this.key = facts.key;
    this.reason = facts.reason;
    this.origin = facts.origin;
    this.nearest = facts.nearest;
    const isRequest =
      code === 'LOGLOFT_CONFIG_READ_ONLY' || code === 'LOGLOFT_CONFIG_INVALID_CHANGE';
    this.protocolError = isRequest ? 'INVALID_REQUEST' : 'INVALID_CONFIG';
  }
}
