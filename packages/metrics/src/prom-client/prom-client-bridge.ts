import { LabelSetCaps } from '../bridging/label-set-caps.ts';
import { WarnOnce } from '../bridging/warn-once.ts';
import type { Metric } from '../metric.ts';
import type { MetricsWarning } from '../metrics-warning.ts';
import { metricNameFor } from '../prometheus/names.ts';
import { type PrometheusNamingOptions, sampleHead } from '../prometheus/registry-samples.ts';
import type { MetricsReporter } from '../reporter.ts';
import { BridgedFamily, type BridgedFamilyContext } from './bridged-family.ts';
import type { PromClientRegistry } from './prom-client-registry.ts';

/** How a {@link PromClientBridge} is made. */
export interface PromClientBridgeOptions extends PrometheusNamingOptions {
  /** Where the metrics are to be seen: a `Registry` of prom-client. */
  readonly target: PromClientRegistry;
  /** How many label sets a name may have, an integer from 1; those beyond are folded. Default 2,000. */
  readonly maxLabelSets?: number | undefined;
  /** Takes warnings, each once a name. Default: `process.emitWarning`. */
  readonly onWarning?: ((warning: MetricsWarning) => void) | undefined;
}

/**
 * Shows the metrics of a registry in one of prom-client, by the names of the sub-path `prometheus`:
 * add it as a reporter. Values are read when prom-client collects; nothing is copied in between. A
 * name that prom-client has already is left to it, with a warning by the registry.
 */
export class PromClientBridge implements MetricsReporter {
  readonly #target: PromClientRegistry;
  readonly #context: BridgedFamilyContext;
  readonly #families = new Map<string, BridgedFamily>();

  /** @throws InvalidMetricOptionError when `maxLabelSets` is out of range */
  constructor(options: PromClientBridgeOptions) {
    const { target, maxLabelSets, onWarning, ...naming } = options;
    const warnings = new WarnOnce(onWarning);
    this.#target = target;
    this.#context = { naming, warnings, caps: new LabelSetCaps(maxLabelSets, warnings) };
  }

  init(metrics: readonly Metric[]): void {
    const failures: unknown[] = [];
    for (const metric of metrics) {
      try {
        this.metricChange(metric);
      } catch (error) {
        failures.push(error);
      }
    }
    // The registry reports what is thrown; the others are there all the same.
    if (failures.length > 0) throw failures[0];
  }

  metricChange(metric: Metric): void {
    const name = this.#nameOf(metric);
    let family = this.#families.get(name);
    if (family === undefined) {
      family = new BridgedFamily(metric, name, this.#context);
      this.#target.registerMetric(family);
      this.#families.set(name, family);
    }
    family.add(metric);
  }

  metricRemoval(metric: Metric): void {
    const name = this.#nameOf(metric);
    const family = this.#families.get(name);
    family?.remove(metric);
    if (family?.size === 0) this.#forget(name);
  }

  /** Takes all metrics out of prom-client's registry. */
  close(): void {
    for (const name of [...this.#families.keys()]) this.#forget(name);
  }

  #forget(name: string): void {
    this.#families.delete(name);
    this.#target.removeSingleMetric(name);
  }

  #nameOf(metric: Metric): string {
    return metricNameFor(sampleHead(metric, this.#context.naming).name);
  }
}
