/** Something that works, but is likely not to be what was meant. */
export interface MetricsWarning {
  /** Stable: `LOGLOFT_METRICS_…`. */
  readonly code: string;
  /** What was found, and what to do. */
  readonly message: string;
  /** What was thrown, where that is the reason. */
  readonly cause?: unknown;
}

/** Hands a warning to the process, which prints it unless told otherwise. */
export function emitWarning(warning: MetricsWarning): void {
  process.emitWarning(warning.message, { type: 'LogloftWarning', code: warning.code });
}
