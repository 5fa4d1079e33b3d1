export type { BinScheme } from './bin-scheme.ts';
export type { QuotaViolation } from './errors.ts';
export {
  DuplicateMetricError,
  InvalidMetricOptionError,
  QuotaViolationError,
  SensorCycleError,
} from './errors.ts';
export type { Metric, ReadGauge } from './metric.ts';
export type { MetricConfigOptions } from './metric-config.ts';
export { MetricConfig } from './metric-config.ts';
export type { MetricNameParts, MetricTags } from './metric-name.ts';
export { MetricName } from './metric-name.ts';
export type { MetricsWarning } from './metrics-warning.ts';
export { QuotaBound } from './quota-bound.ts';
export type { RecordingLevel } from './recording-level.ts';
export type { MetricReading, MetricsRegistryOptions } from './registry.ts';
export { MetricsRegistry } from './registry.ts';
export type { MetricsReporter } from './reporter.ts';
export type { Sensor, SensorOptions } from './sensor.ts';
export type {
  CompoundStat,
  Measurable,
  MeasurableStat,
  NamedMeasurable,
  Stat,
  WindowedStat,
} from './stat.ts';
export { Avg } from './stats/avg.ts';
export type { ConstantBinsOptions } from './stats/constant-bins.ts';
export { ConstantBins } from './stats/constant-bins.ts';
export { CumulativeCount } from './stats/cumulative-count.ts';
export { CumulativeSum } from './stats/cumulative-sum.ts';
export type {
  BooleanFrequencies,
  FrequenciesOptions,
  NamedFrequency,
} from './stats/frequencies.ts';
export { Frequencies } from './stats/frequencies.ts';
export { Histogram } from './stats/histogram.ts';
export type { LinearBinsOptions } from './stats/linear-bins.ts';
export { LinearBins } from './stats/linear-bins.ts';
export { Max } from './stats/max.ts';
export type { MeterOptions } from './stats/meter.ts';
export { Meter } from './stats/meter.ts';
export { Min } from './stats/min.ts';
export type { NamedPercentile, PercentilesOptions } from './stats/percentiles.ts';
export { Percentiles } from './stats/percentiles.ts';
export type { RateOptions } from './stats/rate.ts';
export { Rate } from './stats/rate.ts';
export { SimpleRate } from './stats/simple-rate.ts';
export { TokenBucket } from './stats/token-bucket.ts';
export { Value } from './stats/value.ts';
export { WindowedCount } from './stats/windowed-count.ts';
export { WindowedSum } from './stats/windowed-sum.ts';
export type { TimeUnit } from './time-unit.ts';
