import { quantile } from '../harness/stats.ts';
import type { Latency } from './load.ts';

/** Collects a known number of durations without allocating. */
export class LatencyRecorder {
  readonly #values: Float64Array;
  #count = 0;

  constructor(capacity: number) {
    this.#values = new Float64Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  /** @param ms one duration; those beyond the capacity are dropped */
  add(ms: number): void {
    this.#values[this.#count] = ms;
    this.#count = Math.min(this.#count + 1, this.#values.length);
  }

  latency(): Latency {
    const sorted = this.#values.subarray(0, this.#count).sort();
    return {
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
      p999: quantile(sorted, 0.999),
      max: quantile(sorted, 1),
    };
  }
}
