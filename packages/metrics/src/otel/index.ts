export type { NamingOptions } from '../bridging/described-metric.ts';
export type { MetricUnit } from '../bridging/metric-unit.ts';
export type { OtelBridgeOptions } from './otel-bridge.ts';
export { OtelBridge } from './otel-bridge.ts';
export type {
  OtelAttributes,
  OtelCallback,
  OtelInstrumentOptions,
  OtelMeter,
  OtelObservable,
  OtelObservableResult,
} from './otel-meter.ts';
