import type { Metric } from '../metric.ts';
import type { WarnOnce } from './warn-once.ts';

/**
 * The value of a metric in its base unit, or undefined when reading it threw: one broken gauge must
 * not take all others away.
 */
export function readMetric(
  metric: Metric,
  divisor: number,
  warnings: WarnOnce,
): number | undefined {
  try {
    return metric.value() / divisor;
  } catch (cause) {
    warnings.warn(metric.name.toString(), {
      code: 'LOGLOFT_METRICS_UNREADABLE',
      message: `The metric ${metric.name} could not be read and is left out: ${String(cause)}`,
      cause,
    });
    return undefined;
  }
}
