import { MetricConfig, QuotaBound, type RecordingLevel } from '@logloft/metrics';
import { decode, type Encoded } from './read-vectors.ts';

/** A configuration as the vector files write it; what is missing has its default. */
export interface VectorConfig {
  readonly samples?: number;
  readonly timeWindowMs?: number;
  readonly eventWindow?: number | null;
  readonly quota?: { readonly bound: Encoded; readonly upper: boolean } | null;
  readonly tags?: Readonly<Record<string, string>>;
  readonly recordLevel?: RecordingLevel;
}

export function metricConfig(config: VectorConfig): MetricConfig {
  const { quota } = config;
  const bound = quota === null || quota === undefined ? undefined : decode(quota.bound);
  return new MetricConfig({
    ...config,
    eventWindow: config.eventWindow ?? undefined,
    quota: bound === undefined ? undefined : makeBound(bound, quota?.upper === true),
  });
}

function makeBound(bound: number, isUpper: boolean): QuotaBound {
  return isUpper ? QuotaBound.upper(bound) : QuotaBound.lower(bound);
}
