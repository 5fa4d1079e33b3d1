import type { MetricConfig } from '../metric-config.ts';
import { SampleRing } from '../sample-ring.ts';
import type { WindowedStat } from '../stat.ts';

/** The greatest value in the window; NaN without events, or with a NaN among them. */
export class Max implements WindowedStat {
  readonly #ring = new SampleRing(Number.NEGATIVE_INFINITY);

  record(config: MetricConfig, value: number, timeMs: number): void {
    const sample = this.#ring.admit(config, timeMs);
    this.#ring.setValue(sample, Math.max(this.#ring.value(sample), value));
  }

  measure(config: MetricConfig, nowMs: number): number {
    const ring = this.#ring;
    ring.purge(config, nowMs);
    let greatest = Number.NEGATIVE_INFINITY;
    let count = 0;
    for (let sample = 0; sample < ring.size; sample += 1) {
      greatest = Math.max(greatest, ring.value(sample));
      count += ring.eventCount(sample);
    }
    return count === 0 ? Number.NaN : greatest;
  }

  oldestStartMs(config: MetricConfig, nowMs: number): number {
    return this.#ring.oldestStartMs(config, nowMs);
  }

  nextExpiryMs(config: MetricConfig): number {
    return this.#ring.nextExpiryMs(config);
  }
}
