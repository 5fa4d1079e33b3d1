import { emitWarning, type MetricsWarning } from '../metrics-warning.ts';

/** Passes each kind of warning on once for each metric name, whatever happens later. */
export class WarnOnce {
  readonly #warn: (warning: MetricsWarning) => void;
  readonly #told = new Set<string>();

  /** @param warn takes the warnings. Default: `process.emitWarning`. */
  constructor(warn: ((warning: MetricsWarning) => void) | undefined) {
    this.#warn = warn ?? emitWarning;
  }

  warn(metricName: string, warning: MetricsWarning): void {
    const key = `${warning.code} ${metricName}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#warn(warning);
  }
}
