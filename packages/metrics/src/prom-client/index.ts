export type { NamingOptions } from '../bridging/described-metric.ts';
export type { MetricUnit } from '../bridging/metric-unit.ts';
export type { PrometheusNamingOptions } from '../prometheus/registry-samples.ts';
export type { PromClientBridgeOptions } from './prom-client-bridge.ts';
export { PromClientBridge } from './prom-client-bridge.ts';
export type {
  PromClientMetric,
  PromClientRegistry,
  PromClientValue,
} from './prom-client-registry.ts';
