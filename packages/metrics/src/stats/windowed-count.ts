import type { MetricConfig } from '../metric-config.ts';
import { SampleRing } from '../sample-ring.ts';
import type { WindowedStat } from '../stat.ts';

/** How many events the window holds, whatever their values; 0 without events. */
export class WindowedCount implements WindowedStat {
  readonly #ring = new SampleRing(0);

  record(config: MetricConfig, _value: number, timeMs: number): void {
    this.#ring.add(config, 1, timeMs);
  }

  measure(config: MetricConfig, nowMs: number): number {
    const ring = this.#ring;
    ring.purge(config, nowMs);
    let total = 0;
    for (let sample = 0; sample < ring.size; sample += 1) total += ring.value(sample);
    return total;
  }

  oldestStartMs(config: MetricConfig, nowMs: number): number {
    return this.#ring.oldestStartMs(config, nowMs);
  }

  nextExpiryMs(config: MetricConfig): number {
    return this.#ring.nextExpiryMs(config);
  }
}
