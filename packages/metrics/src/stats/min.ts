import type { MetricConfig } from '../metric-config.ts';
import { SampleRing } from '../sample-ring.ts';
import type { WindowedStat } from '../stat.ts';

/** The smallest value in the window; NaN without events, or with a NaN among them. As in Kafka no
 * value above the greatest finite number counts: of nothing but Infinity the minimum is that number. */
export class Min implements WindowedStat {
  readonly #ring = new SampleRing(Number.MAX_VALUE);

  record(config: MetricConfig, value: number, timeMs: number): void {
    const sample = this.#ring.admit(config, timeMs);
    this.#ring.setValue(sample, Math.min(this.#ring.value(sample), value));
  }

  measure(config: MetricConfig, nowMs: number): number {
    const ring = this.#ring;
    ring.purge(config, nowMs);
    let smallest = Number.MAX_VALUE;
    let count = 0;
    for (let sample = 0; sample < ring.size; sample += 1) {
      smallest = Math.min(smallest, ring.value(sample));
      count += ring.eventCount(sample);
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
