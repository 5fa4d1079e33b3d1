import type { MetricConfig } from '../metric-config.ts';
import { SampleRing } from '../sample-ring.ts';
import type { WindowedStat } from '../stat.ts';

/** The sum of what was recorded in the window; 0 without events. */
export class WindowedSum implements WindowedStat {
  readonly #ring = new SampleRing(0);

  record(config: MetricConfig, value: number, timeMs: number): void {
    this.#ring.add(config, value, timeMs);
  }

  measure(config: MetricConfig, nowMs: number): number {
    this.#ring.purge(config, nowMs);
    return this.#ring.sum();
  }

  oldestStartMs(config: MetricConfig, nowMs: number): number {
    return this.#ring.oldestStartMs(config, nowMs);
  }

  nextExpiryMs(config: MetricConfig): number {
    return this.#ring.nextExpiryMs(config);
  }
}
