import { describeMetric, type Fold, type NamingOptions } from '../bridging/described-metric.ts';
import type { LabelSetCaps, SeriesReading } from '../bridging/label-set-caps.ts';
import { readMetric } from '../bridging/read-metric.ts';
import type { WarnOnce } from '../bridging/warn-once.ts';
import type { Metric } from '../metric.ts';
import type { OtelAttributes, OtelCallback, OtelObservable } from './otel-meter.ts';

/** What an {@link OtelInstrument} is made with. */
export interface OtelInstrumentContext {
  readonly naming: NamingOptions;
  readonly caps: LabelSetCaps;
  readonly warnings: WarnOnce;
}

interface Member {
  readonly divisor: number;
  readonly fold: Fold;
  readonly attributes: OtelAttributes;
}

interface MemberReading extends SeriesReading {
  readonly attributes: OtelAttributes;
}

/** The attributes of what is beyond the bound, by OpenTelemetry's convention. */
const OVERFLOW: OtelAttributes = { 'otel.metric.overflow': true };

/** All metrics of one name, observed by one callback. */
export class OtelInstrument {
  readonly #name: string;
  readonly #observable: OtelObservable;
  readonly #isCounter: boolean;
  readonly #context: OtelInstrumentContext;
  readonly #members = new Map<Metric, Member>();
  readonly #observe: OtelCallback = (result) => {
    const readings: MemberReading[] = [];
    for (const [metric, { divisor, fold, attributes }] of this.#members) {
      const value = readMetric(metric, divisor, this.#context.warnings);
      if (value === undefined || !this.#isObservable(value)) continue;
      readings.push({ key: metric.name.key, fold, value, attributes });
    }
    const { shown, overflow } = this.#context.caps.apply(this.#name, readings);
    for (const { value, attributes } of shown) result.observe(value, attributes);
    if (overflow !== undefined) result.observe(overflow, OVERFLOW);
  };

  constructor(
    name: string,
    kind: { readonly observable: OtelObservable; readonly isCounter: boolean },
    context: OtelInstrumentContext,
  ) {
    this.#name = name;
    this.#observable = kind.observable;
    this.#isCounter = kind.isCounter;
    this.#context = context;
    this.#observable.addCallback(this.#observe);
  }

  add(metric: Metric): void {
    const { divisor, fold } = describeMetric(metric, this.#context.naming);
    this.#members.set(metric, { divisor, fold, attributes: Object.fromEntries(metric.name.tags) });
  }

  remove(metric: Metric): void {
    this.#members.delete(metric);
  }

  /** Ends the observation. The SDK keeps the instrument, since there is no way to remove one. */
  close(): void {
    this.#members.clear();
    this.#observable.removeCallback(this.#observe);
  }

  /** What has no value is not observed: for OpenTelemetry NaN would be one. */
  #isObservable(value: number): boolean {
    return Number.isFinite(value) && !(this.#isCounter && value < 0);
  }
}
