import {
  type DescribedMetric,
  describeMetric,
  type NamingOptions,
} from '../bridging/described-metric.ts';
import { LabelSetCaps } from '../bridging/label-set-caps.ts';
import type { BaseUnit } from '../bridging/metric-unit.ts';
import { WarnOnce } from '../bridging/warn-once.ts';
import type { Metric } from '../metric.ts';
import type { MetricsWarning } from '../metrics-warning.ts';
import type { MetricsReporter } from '../reporter.ts';
import { OtelInstrument, type OtelInstrumentContext } from './otel-instrument.ts';
import type { OtelMeter } from './otel-meter.ts';

/** How an {@link OtelBridge} is made. */
export interface OtelBridgeOptions extends NamingOptions {
  readonly meter: OtelMeter;
  /** What all names begin with, such as `logloft`. Default: nothing. */
  readonly prefix?: string | undefined;
  /** How many attribute sets a name may have, an integer from 1; those beyond are folded. Default 2,000. */
  readonly maxLabelSets?: number | undefined;
  /** Takes warnings, each once a name. Default: `process.emitWarning`. */
  readonly onWarning?: ((warning: MetricsWarning) => void) | undefined;
}

const UNITS: Readonly<Record<BaseUnit, string>> = { seconds: 's', bytes: 'By', ratio: '1' };

/**
 * Shows the metrics of a registry as observable instruments of OpenTelemetry: add it as a reporter.
 * Names are `prefix.group.name` with underscores between words, without `total` and unit, which is
 * the unit of the instrument; tags are its attributes. Values that are NaN or infinite are not
 * observed. Attribute sets beyond the bound become one with `otel.metric.overflow`.
 */
export class OtelBridge implements MetricsReporter {
  readonly #meter: OtelMeter;
  readonly #prefix: string;
  readonly #context: OtelInstrumentContext;
  readonly #instruments = new Map<string, OtelInstrument>();
  /** Whether the names in use are those of counters. */
  readonly #kinds = new Map<string, boolean>();

  /** @throws InvalidMetricOptionError when `maxLabelSets` is out of range */
  constructor(options: OtelBridgeOptions) {
    const { meter, prefix = '', maxLabelSets, onWarning, ...naming } = options;
    const warnings = new WarnOnce(onWarning);
    this.#meter = meter;
    this.#prefix = prefix;
    this.#context = { naming, warnings, caps: new LabelSetCaps(maxLabelSets, warnings) };
  }

  init(metrics: readonly Metric[]): void {
    for (const metric of metrics) this.metricChange(metric);
  }

  metricChange(metric: Metric): void {
    const described = describeMetric(metric, this.#context.naming);
    const name = this.#nameFor(described);
    let instrument = this.#instruments.get(name);
    if (instrument === undefined) {
      instrument = this.#makeInstrument(name, described, metric.name.description);
      this.#instruments.set(name, instrument);
      this.#kinds.set(name, described.isCounter);
    }
    instrument.add(metric);
  }

  metricRemoval(metric: Metric): void {
    const described = describeMetric(metric, this.#context.naming);
    this.#instruments.get(this.#nameFor(described))?.remove(metric);
  }

  /** Ends all observation. */
  close(): void {
    for (const instrument of this.#instruments.values()) instrument.close();
    this.#instruments.clear();
    this.#kinds.clear();
  }

  #makeInstrument(name: string, described: DescribedMetric, description: string): OtelInstrument {
    const unit = unitOf(described);
    const options = { ...(description === '' ? {} : { description }), ...(unit && { unit }) };
    const { isCounter } = described;
    const observable = isCounter
      ? this.#meter.createObservableCounter(name, options)
      : this.#meter.createObservableGauge(name, options);
    return new OtelInstrument(name, { observable, isCounter }, this.#context);
  }

  /** A gauge and a counter cannot share a name, so the one that comes second says what it is. */
  #nameFor({ isCounter, groupWords, nameWords }: DescribedMetric): string {
    const parts = [this.#prefix, groupWords.join('_'), nameWords.join('_')];
    const name = instrumentName(parts.filter((part) => part !== '').join('.'));
    if ((this.#kinds.get(name) ?? isCounter) === isCounter) return name;
    return `${name}.${isCounter ? 'total' : 'current'}`;
  }
}

function unitOf({ unit, nameWords, isCounter }: DescribedMetric): string | undefined {
  if (unit !== undefined) return UNITS[unit];
  if (isCounter && nameWords.at(-1) === 'byte') return UNITS.bytes;
  return nameWords.slice(-2).join('-') === 'byte-rate' ? 'By/s' : undefined;
}

/** What OpenTelemetry allows: a letter, then up to 254 letters, digits and `_ . - /`. */
function instrumentName(text: string): string {
  const clean = text.replace(/[^a-zA-Z0-9_./-]/g, '_');
  return (/^[a-zA-Z]/.test(clean) ? clean : `m${clean}`).slice(0, 240);
}
