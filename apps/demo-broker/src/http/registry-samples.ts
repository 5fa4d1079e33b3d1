import type { MetricName, MetricsRegistry } from '@logloft/metrics';
import type { PrometheusSample } from './prometheus-text.ts';

/**
 * The metrics of a registry as `logloft_<group>_<name>`, without a `-metrics` at the end of the group.
 * Cumulative ones are counters by their name, which ends in `-total`.
 */
export function* registrySamples(registry: MetricsRegistry): Generator<PrometheusSample> {
  for (const { name, value } of registry.snapshot()) {
    yield {
      name: prometheusName(name),
      help: name.description,
      type: name.name.endsWith('-total') ? 'counter' : 'gauge',
      labels: name.tags,
      value,
    };
  }
}

function prometheusName({ group, name }: MetricName): string {
  return ['logloft', group.replace(/-metrics$/, ''), name].map(snakeCase).join('_');
}

/** `BytesInPerSec`, `RLMCopy` and `byte-rate` as `bytes_in_per_sec`, `rlm_copy` and `byte_rate`. */
function snakeCase(text: string): string {
  return text
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}
