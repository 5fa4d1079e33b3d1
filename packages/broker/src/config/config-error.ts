/** Codes of errors of configuration. */
export type ConfigErrorCode =
  | 'LOGLOFT_CONFIG_UNKNOWN_KEY'
  | 'LOGLOFT_CONFIG_INVALID_VALUE'
  | 'LOGLOFT_CONFIG_CONFLICT'
  | 'LOGLOFT_CONFIG_SYNTAX'
  | 'LOGLOFT_CONFIG_UNSUPPORTED';

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

/** A configuration that the broker does not start with, or a change that it does not accept. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;
  readonly key: string;
  readonly reason: string;
  readonly origin: string | undefined;
  readonly nearest: string | undefined;

  constructor(code: ConfigErrorCode, facts: ConfigErrorFacts) {
    super(facts.origin === undefined ? facts.reason : `${facts.reason} (${facts.origin})`);
    this.name = 'ConfigError';
    this.code = code;
    this.key = facts.key;
    this.reason = facts.reason;
    this.origin = facts.origin;
    this.nearest = facts.nearest;
  }
}
