/** One number with its labels. */
export interface PrometheusSample {
  /** The name as the program has it; what Prometheus does not allow is replaced. */
  readonly name: string;
  /** Empty for none. */
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** `seconds`, `bytes` and so on. Shown by OpenMetrics where the name ends in it. Default: none. */
  readonly unit?: string | undefined;
  readonly labels: Iterable<readonly [name: string, value: string]>;
  readonly value: number;
}
