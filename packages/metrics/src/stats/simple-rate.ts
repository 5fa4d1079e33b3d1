import type { MetricConfig } from '../metric-config.ts';
import type { WindowedStat } from '../stat.ts';
import { WindowedSum } from './windowed-sum.ts';

/**
 * The sum of what was recorded in the window, per second.
 *
 * It is divided by the time since the oldest sample in use began, but by one sample's time at
 * least: unlike in {@link Rate} no samples are made up that lie before the start. Byte-rate quotas
 * are measured with it.
 */
export class SimpleRate implements WindowedStat {
  readonly #sum = new WindowedSum();

  record(config: MetricConfig, value: number, timeMs: number): void {
    this.#sum.record(config, value, timeMs);
  }

  measure(config: MetricConfig, nowMs: number): number {
    const total = this.#sum.measure(config, nowMs);
    return total / (this.windowSizeMs(config, nowMs) / 1000);
  }

  /** The sum in the window, not yet divided. */
  total(config: MetricConfig, nowMs: number): number {
    return this.#sum.measure(config, nowMs);
  }

  /** The time, in ms, by which the sum is divided at `nowMs`; at least one sample's time. */
  windowSizeMs(config: MetricConfig, nowMs: number): number {
    return Math.max(nowMs - this.#sum.oldestStartMs(config, nowMs), config.timeWindowMs);
  }

  /** When the oldest sample in use began. Makes a first sample if there is none. */
  oldestStartMs(config: MetricConfig, nowMs: number): number {
    return this.#sum.oldestStartMs(config, nowMs);
  }

  /** When the next sample leaves the window if nothing is recorded; Infinity without samples. */
  nextExpiryMs(config: MetricConfig): number {
    return this.#sum.nextExpiryMs(config);
  }
}
