export type { NamingOptions } from '../bridging/described-metric.ts';
export type { BaseUnit, MetricUnit } from '../bridging/metric-unit.ts';
export type {
  PrometheusAnswer,
  PrometheusExporterOptions,
  PrometheusName,
} from './prometheus-exporter.ts';
export { PrometheusExporter } from './prometheus-exporter.ts';
export type { PrometheusSample } from './prometheus-sample.ts';
export {
  OPENMETRICS_CONTENT_TYPE,
  openMetricsText,
  PROMETHEUS_CONTENT_TYPE,
  prometheusText,
} from './prometheus-text.ts';
export type { PrometheusNamingOptions } from './registry-samples.ts';
export { registrySamples } from './registry-samples.ts';
