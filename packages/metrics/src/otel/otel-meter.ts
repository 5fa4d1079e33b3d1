/** Takes the values of an instrument while it is collected. */
export interface OtelObservableResult {
  observe(value: number, attributes?: OtelAttributes): void;
}

/** Attributes by name. */
export interface OtelAttributes {
  [name: string]: string | boolean;
}

/** Called whenever an instrument is collected. */
export type OtelCallback = (result: OtelObservableResult) => void;

/** An instrument whose values are asked for. */
export interface OtelObservable {
  addCallback(callback: OtelCallback): void;
  removeCallback(callback: OtelCallback): void;
}

/** What an instrument is made with. */
export interface OtelInstrumentOptions {
  description?: string;
  /** By the Unified Code for Units of Measure: `s`, `By`, `By/s`, `1`. */
  unit?: string;
}

/** What the bridge needs of a `Meter` of `@opentelemetry/api` 1; no import of it is needed. */
export interface OtelMeter {
  createObservableGauge(name: string, options?: OtelInstrumentOptions): OtelObservable;
  createObservableCounter(name: string, options?: OtelInstrumentOptions): OtelObservable;
}
