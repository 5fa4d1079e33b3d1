/** One value of a {@link PromClientMetric}. */
export interface PromClientValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** What is registered with prom-client: a metric that collects its values when asked. */
export interface PromClientMetric {
  /** The values of this moment, as a counter or gauge of prom-client gives them. */
  get(): Promise<object>;
}

/** What the bridge needs of prom-client's `Registry` (14 and 15); no import of it is needed. */
export interface PromClientRegistry {
  registerMetric(metric: PromClientMetric): void;
  removeSingleMetric(name: string): void;
}
