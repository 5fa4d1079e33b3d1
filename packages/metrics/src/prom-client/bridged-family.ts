import { describeMetric, type Fold } from '../bridging/described-metric.ts';
import type { LabelSetCaps, SeriesReading } from '../bridging/label-set-caps.ts';
import { readMetric } from '../bridging/read-metric.ts';
import type { WarnOnce } from '../bridging/warn-once.ts';
import type { Metric } from '../metric.ts';
import { labelsFor, printLabels } from '../prometheus/names.ts';
import { type PrometheusNamingOptions, sampleHead } from '../prometheus/registry-samples.ts';
import type { PromClientMetric, PromClientValue } from './prom-client-registry.ts';

/** What prom-client reads of a metric. */
export interface CollectedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly aggregator: 'sum';
  readonly values: readonly PromClientValue[];
}

interface Member {
  readonly divisor: number;
  readonly fold: Fold;
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface MemberReading extends SeriesReading {
  readonly labels: Readonly<Record<string, string>>;
}

/** What a {@link BridgedFamily} is made with. */
export interface BridgedFamilyContext {
  readonly naming: PrometheusNamingOptions;
  readonly caps: LabelSetCaps;
  readonly warnings: WarnOnce;
}

/** All metrics of one name, in the shape of a metric of prom-client. */
export class BridgedFamily implements PromClientMetric {
  /** Not read-only: prom-client takes `_total` off for OpenMetrics, and puts it back when printing. */
  name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** How the values of cluster workers are combined. */
  readonly aggregator = 'sum';
  readonly #family: string;
  readonly #context: BridgedFamilyContext;
  readonly #members = new Map<Metric, Member>();

  constructor(first: Metric, name: string, context: BridgedFamilyContext) {
    const { help, type } = sampleHead(first, context.naming);
    this.name = name;
    this.#family = name;
    // prom-client prints the line in any case.
    this.help = help === '' ? first.name.name : help;
    this.type = type;
    this.#context = context;
  }

  /** How many metrics it has. */
  get size(): number {
    return this.#members.size;
  }

  add(metric: Metric): void {
    const { naming } = this.#context;
    const { tags } = metric.name;
    this.#members.set(metric, {
      divisor: sampleHead(metric, naming).divisor,
      fold: describeMetric(metric, naming).fold,
      key: printLabels(tags),
      labels: Object.fromEntries(labelsFor(tags)),
    });
  }

  remove(metric: Metric): void {
    this.#members.delete(metric);
  }

  /** The values of this moment. */
  async get(): Promise<CollectedFamily> {
    const readings: MemberReading[] = [];
    for (const [metric, { divisor, fold, key, labels }] of this.#members) {
      const value = readMetric(metric, divisor, this.#context.warnings);
      if (value !== undefined) readings.push({ key, fold, value, labels });
    }
    const { shown, overflow } = this.#context.caps.apply(this.#family, readings);
    const values: PromClientValue[] = shown.map(({ value, labels }) => ({ value, labels }));
    if (overflow !== undefined) values.push({ value: overflow, labels: { overflow: 'true' } });
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values };
  }

  /** prom-client calls it to set all metrics to 0; what is measured elsewhere stays as it is. */
  reset(): void {
    // Nothing is kept here.
  }
}
