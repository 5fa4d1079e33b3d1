import { InvalidMetricOptionError } from './errors.ts';
import { type MetricTags, tagEntries } from './metric-name.ts';
import type { QuotaBound } from './quota-bound.ts';
import { checkedLevel, type RecordingLevel } from './recording-level.ts';

/** What a {@link MetricConfig} is made of. A field left out has its default. */
export interface MetricConfigOptions {
  /** How many samples make up the whole window. An integer from 1. Default 2. */
  readonly samples?: number | undefined;
  /** The time that one sample covers, in ms. An integer from 1. Default 30,000. */
  readonly timeWindowMs?: number | undefined;
  /** The number of events after which a sample is complete, from 1. Default: no such limit. */
  readonly eventWindow?: number | undefined;
  /** The bound that the metric is held to when quotas are checked. Default: none. */
  readonly quota?: QuotaBound | undefined;
  /** Tags that a registry adds to the names it makes. Default: none. */
  readonly tags?: MetricTags | undefined;
  /** The most detailed level of sensors that record. Default `INFO`. */
  readonly recordLevel?: RecordingLevel | undefined;
}

/** Settings of metrics, checked and unchanging. Many metrics may share one. */
export class MetricConfig {
  readonly samples: number;
  readonly timeWindowMs: number;
  /** Infinity when there is no limit by events. */
  readonly eventWindow: number;
  readonly quota: QuotaBound | undefined;
  readonly tags: ReadonlyMap<string, string>;
  readonly recordLevel: RecordingLevel;
  /** The age of its last event, in ms, at which a sample no longer counts: samples x time window. */
  readonly expiryAgeMs: number;

  /** @throws InvalidMetricOptionError when a field is out of range */
  constructor(options: MetricConfigOptions = {}) {
    this.samples = positiveInteger('samples', options.samples ?? 2);
    this.timeWindowMs = positiveInteger('timeWindowMs', options.timeWindowMs ?? 30_000);
    this.eventWindow = eventLimit(options.eventWindow ?? Number.POSITIVE_INFINITY);
    this.quota = options.quota;
    this.tags = new Map(tagEntries(options.tags));
    this.recordLevel = checkedLevel(options.recordLevel ?? 'INFO');
    this.expiryAgeMs = this.samples * this.timeWindowMs;
  }

  /** A configuration from either form; one that is made already is returned as it is. */
  static from(config: MetricConfig | MetricConfigOptions): MetricConfig {
    return config instanceof MetricConfig ? config : new MetricConfig(config);
  }

  /** A copy in which the given fields are replaced. */
  with(changes: MetricConfigOptions): MetricConfig {
    return new MetricConfig({ ...this, ...changes });
  }
}

/** @throws InvalidMetricOptionError when `value` is not an integer from 1 */
export function positiveInteger(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidMetricOptionError(`${option} must be an integer from 1, got ${value}`);
}

function eventLimit(value: number): number {
  return value === Number.POSITIVE_INFINITY ? value : positiveInteger('eventWindow', value);
}
