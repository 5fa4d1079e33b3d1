import type { MetricConfig } from '../metric-config.ts';
import { SampleRing } from '../sample-ring.ts';
import type { WindowedStat } from '../stat.ts';

/** The mean of the values in the window; NaN without events. */
export class Avg implements WindowedStat {
  readonly #ring = new SampleRing(0);

  record(config: MetricConfig, value: number, timeMs: number): void {
    this.#ring.add(config, value, timeMs);
  }

  measure(config: MetricConfig, nowMs: number): number {
    const ring = this.#ring;
    ring.purge(config, nowMs);
    let total = 0;
    let count = 0;
    for (let sample = 0; sample < ring.size; sample += 1) {
      total += ring.value(sample);
      count += ring.eventCount(sample);
    }
    return count === 0 ? Number.NaN : total / count;
  }

  oldestStartMs(config: MetricConfig, nowMs: number): number {
    return this.#ring.oldestStartMs(config, nowMs);
  }

  nextExpiryMs(config: MetricConfig): number {
    return this.#ring.nextExpiryMs(config);
  }
}
