import { describeMetric, type NamingOptions } from '../bridging/described-metric.ts';
import type { Metric } from '../metric.ts';
import type { MetricsRegistry } from '../registry.ts';
import type { PrometheusSample } from './prometheus-sample.ts';

/** How metrics are named for Prometheus. */
export interface PrometheusNamingOptions extends NamingOptions {
  /** What all names begin with, such as `logloft`. Default: nothing. */
  readonly prefix?: string | undefined;
}

/**
 * The metrics of a registry as `<prefix>_<group>_<name>_<unit>_total`: words in lower case, no
 * `-metrics` at the end of the group, base units, and `_total` for what is cumulative by its stat or
 * its name.
 */
export function* registrySamples(
  registry: MetricsRegistry,
  options: PrometheusNamingOptions = {},
): Generator<PrometheusSample, void, undefined> {
  for (const metric of [...registry.metrics()]) {
    const { divisor, ...sample } = sampleHead(metric, options);
    yield { ...sample, labels: metric.name.tags, value: metric.value() / divisor };
  }
}

/** What of a metric's sample does not change. */
export function sampleHead(
  metric: Metric,
  options: PrometheusNamingOptions,
): Omit<PrometheusSample, 'value' | 'labels'> & { readonly divisor: number } {
  const { isCounter, groupWords, nameWords, unit, divisor } = describeMetric(metric, options);
  const words = [...groupWords, ...nameWords];
  if (options.prefix !== undefined && options.prefix !== '') words.unshift(options.prefix);
  if (unit !== undefined) words.push(unit);
  if (isCounter) words.push('total');
  return {
    name: words.join('_'),
    help: metric.name.description,
    type: isCounter ? 'counter' : 'gauge',
    unit,
    divisor,
  };
}
