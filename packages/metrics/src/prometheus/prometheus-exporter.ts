import { describeMetric, type Fold } from '../bridging/described-metric.ts';
import { LabelSetCaps, type SeriesReading } from '../bridging/label-set-caps.ts';
import { readMetric } from '../bridging/read-metric.ts';
import { WarnOnce } from '../bridging/warn-once.ts';
import type { Metric } from '../metric.ts';
import type { MetricName } from '../metric-name.ts';
import type { MetricsWarning } from '../metrics-warning.ts';
import type { MetricsRegistry } from '../registry.ts';
import { type FamilyHead, FamilyTable, OVERFLOW_LABELS } from './family-table.ts';
import { metricNameFor, printLabels } from './names.ts';
import { acceptsOpenMetrics } from './negotiation.ts';
import type { PrometheusSample } from './prometheus-sample.ts';
import { addSample, OPENMETRICS_CONTENT_TYPE, PROMETHEUS_CONTENT_TYPE } from './prometheus-text.ts';
import { type PrometheusNamingOptions, sampleHead } from './registry-samples.ts';

/** A name and labels that a metric is to have instead of its own. */
export interface PrometheusName {
  readonly name: string;
  /** Default: the tags of the metric. */
  readonly labels?: Iterable<readonly [name: string, value: string]> | undefined;
}

/** How a {@link PrometheusExporter} is made. */
export interface PrometheusExporterOptions extends PrometheusNamingOptions {
  readonly registry: MetricsRegistry;
  /** How many label sets a name may have, an integer from 1; those beyond are folded. Default 2,000. */
  readonly maxLabelSets?: number | undefined;
  /**
   * Another name for a metric, for dashboards that expect one; `omit` leaves it out, undefined
   * keeps what it has. Asked once a metric. A counter should end in `_total`.
   */
  readonly rename?: ((name: MetricName) => PrometheusName | 'omit' | undefined) | undefined;
  /** Samples that come from elsewhere, read at each scrape. Default: none. */
  readonly extraSamples?: (() => Iterable<PrometheusSample>) | undefined;
  /** Takes warnings, each once a name. Default: `process.emitWarning`. */
  readonly onWarning?: ((warning: MetricsWarning) => void) | undefined;
}

/** A body with its content type. */
export interface PrometheusAnswer {
  readonly contentType: string;
  readonly body: string;
}

/** A metric as it is printed, made once. */
interface Series {
  readonly head: FamilyHead;
  readonly labels: string;
  readonly divisor: number;
  readonly fold: Fold;
}

/** A series with its value at a scrape. The key is the labels as printed. */
interface Reading extends SeriesReading {
  readonly head: FamilyHead;
}

/**
 * Prints a registry for Prometheus, in either format. Names are made once a metric. Beyond
 * `maxLabelSets` label sets of a name, what comes later is folded into one series with the label
 * `overflow="true"`: the sum for totals and amounts, the greatest for `max`, the least for `min`;
 * averages, ratios and percentiles cannot be folded and are left out.
 */
export class PrometheusExporter {
  readonly #options: PrometheusExporterOptions;
  readonly #warnings: WarnOnce;
  readonly #caps: LabelSetCaps;
  readonly #series = new WeakMap<Metric, Series | 'omit'>();

  /** @throws InvalidMetricOptionError when `maxLabelSets` is out of range */
  constructor(options: PrometheusExporterOptions) {
    this.#options = options;
    this.#warnings = new WarnOnce(options.onWarning);
    this.#caps = new LabelSetCaps(options.maxLabelSets, this.#warnings);
  }

  /** All metrics in the text format 0.0.4 of Prometheus. */
  prometheus(): string {
    return this.#table().prometheus();
  }

  /** All metrics in the text format of OpenMetrics 1.0. */
  openMetrics(): string {
    return this.#table().openMetrics();
  }

  /**
   * The format that a scraper asks for.
   *
   * @param accept the `Accept` header of its request
   */
  answer(accept: string | undefined): PrometheusAnswer {
    if (acceptsOpenMetrics(accept)) {
      return { contentType: OPENMETRICS_CONTENT_TYPE, body: this.openMetrics() };
    }
    return { contentType: PROMETHEUS_CONTENT_TYPE, body: this.prometheus() };
  }

  #table(): FamilyTable {
    const table = new FamilyTable();
    for (const [name, readings] of this.#readFamilies()) this.#addFamily(table, name, readings);
    for (const sample of this.#options.extraSamples?.() ?? []) {
      if (!addSample(table, sample)) this.#warnOfDuplicate(metricNameFor(sample.name));
    }
    return table;
  }

  /** The values of all metrics by family. */
  #readFamilies(): ReadonlyMap<string, readonly Reading[]> {
    const families = new Map<string, Reading[]>();
    for (const metric of [...this.#options.registry.metrics()]) {
      const series = this.#seriesOf(metric);
      if (series === 'omit') continue;
      const value = readMetric(metric, series.divisor, this.#warnings);
      if (value === undefined) continue;
      const { head, labels, fold } = series;
      const readings = families.get(head.name);
      const reading = { head, key: labels, fold, value };
      if (readings === undefined) families.set(head.name, [reading]);
      else readings.push(reading);
    }
    return families;
  }

  #addFamily(table: FamilyTable, name: string, readings: readonly Reading[]): void {
    const { shown, overflow } = this.#caps.apply(name, readings);
    for (const { head, key, value } of shown) {
      if (!table.add(head, key, value)) this.#warnOfDuplicate(name);
    }
    const head = readings[0]?.head;
    if (overflow !== undefined && head !== undefined) table.add(head, OVERFLOW_LABELS, overflow);
  }

  #seriesOf(metric: Metric): Series | 'omit' {
    const known = this.#series.get(metric);
    if (known !== undefined) return known;
    const series = this.#makeSeries(metric);
    this.#series.set(metric, series);
    return series;
  }

  #makeSeries(metric: Metric): Series | 'omit' {
    const renamed = this.#options.rename?.(metric.name);
    if (renamed === 'omit') return 'omit';
    const { name, help, type, unit, divisor } = sampleHead(metric, this.#options);
    return {
      head: { name: metricNameFor(renamed?.name ?? name), help, type, unit },
      labels: printLabels(renamed?.labels ?? metric.name.tags),
      divisor,
      fold: describeMetric(metric, this.#options).fold,
    };
  }

  #warnOfDuplicate(name: string): void {
    this.#warnings.warn(name, {
      code: 'LOGLOFT_METRICS_DUPLICATE_SERIES',
      message:
        `The metric ${name} must have each label set once, but two metrics have the same under ` +
        'that name; only the first is shown. Give one of them another name or tag.',
    });
  }
}
