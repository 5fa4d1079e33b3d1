import type { Metric } from './metric.ts';

/**
 * Is told which metrics a registry has. What it throws is caught, and warned of once, so that it
 * never harms those who measure; it may read values whenever it likes. All methods are optional.
 */
export interface MetricsReporter {
  /** Called once, when it is added, with all metrics there are. */
  init?(metrics: readonly Metric[]): void;
  /** A metric was registered. */
  metricChange?(metric: Metric): void;
  /** A metric was removed. */
  metricRemoval?(metric: Metric): void;
  /** The reporter was removed, or the registry closed. */
  close?(): void;
}
