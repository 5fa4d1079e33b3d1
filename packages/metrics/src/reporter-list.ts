import type { Metric } from './metric.ts';
import type { MetricsWarning } from './metrics-warning.ts';
import type { MetricsReporter } from './reporter.ts';

/** The reporters of a registry, in the order in which they were added. */
export class ReporterList {
  readonly #warn: (warning: MetricsWarning) => void;
  readonly #reporters = new Set<MetricsReporter>();
  /** Those that have thrown; what they throw later is not worth a line each. */
  readonly #failed = new WeakSet<MetricsReporter>();

  constructor(warn: (warning: MetricsWarning) => void) {
    this.#warn = warn;
  }

  add(reporter: MetricsReporter, metrics: readonly Metric[]): void {
    if (this.#reporters.has(reporter)) return;
    this.#reporters.add(reporter);
    this.#tell(reporter, () => reporter.init?.(metrics));
  }

  remove(reporter: MetricsReporter): void {
    if (this.#reporters.delete(reporter)) this.#tell(reporter, () => reporter.close?.());
  }

  metricChange(metric: Metric): void {
    for (const reporter of this.#reporters) {
      this.#tell(reporter, () => reporter.metricChange?.(metric));
    }
  }

  metricRemoval(metric: Metric): void {
    for (const reporter of this.#reporters) {
      this.#tell(reporter, () => reporter.metricRemoval?.(metric));
    }
  }

  close(): void {
    for (const reporter of [...this.#reporters]) this.remove(reporter);
  }

  #tell(reporter: MetricsReporter, call: () => void): void {
    try {
      call();
    } catch (error) {
      if (this.#failed.has(reporter)) return;
      this.#failed.add(reporter);
      this.#warn({
        code: 'LOGLOFT_METRICS_REPORTER_FAILED',
        message:
          `A metrics reporter must not throw, but threw ${String(error)}; it is told of metrics ` +
          'further on, and what else it throws is not reported.',
        cause: error,
      });
    }
  }
}
