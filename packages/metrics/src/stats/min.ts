import type { MetricConfig } from '../metric-config.ts';
import { SampleRing } from '../sample-ring.ts';
import type { WindowedStat } from '../stat.ts';

/** The smallest value in the window; NaN without events, or with a NaN among them. As in Kafka no
 * value above the greatest finite number counts: of nothing but Infinity the minimum is that number. */
export class Min implements WindowedStat {
  readonly #ring = new SampleRing(Number.MAX_VALUE);

  record(config: MetricConfig, value: number, timeMs: number): void {
    const sample = this.#ring.admit(config, timeMs);
    sample.value = Math.min(sample.value, value);
  }

  measure(config: MetricConfig, nowMs: number): number {
    let smallest = Number.MAX_VALUE;
    let count = 0;
    for (const sample of this.#ring.live(config, nowMs)) {
      smallest = Math.min(smallest, sample.value);
      count += sample.eventCount;
    }
    return count === 0 ? Number.NaN : smallest;
  }

  oldestStartMs(config: MetricConfig, nowMs: number): number {
    return this.#ring.oldestStartMs(config, nowMs);
  }

  nextExpiryMs(config: MetricConfig): number {
    return this.#ring.nextExpiryMs(config);
  }
}
