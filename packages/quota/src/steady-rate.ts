import type { Clock } from '@logloft/clock';
import { type MeasurableStat, type MetricConfig, SimpleRate } from '@logloft/metrics';

/** Whole ms of the monotonic clock. */
export function steadyNow(clock: Clock): number {
  return Math.floor(clock.monotonic());
}

/**
 * A {@link SimpleRate} that goes by the monotonic clock, whatever time it is given. Registries count
 * in wall-clock time; when that is set forward a quota would forget what was sent, and when it is
 * set back nothing would be admitted until the old time is reached again.
 */
export class SteadyRate implements MeasurableStat {
  readonly #rate = new SimpleRate();
  readonly #clock: Clock;
  /** When something was last recorded, or when this was made; ms of the monotonic clock. */
  #lastRecordMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastRecordMs = steadyNow(clock);
  }

  get lastRecordMs(): number {
    return this.#lastRecordMs;
  }

  record(config: MetricConfig, value: number): void {
    this.#lastRecordMs = steadyNow(this.#clock);
    this.#rate.record(config, value, this.#lastRecordMs);
  }

  measure(config: MetricConfig): number {
    return this.#rate.measure(config, steadyNow(this.#clock));
  }

  /** The rate as if `extraBytes` were in the window too, at `nowMs` of the monotonic clock. */
  measureWith(config: MetricConfig, extraBytes: number, nowMs: number): number {
    const bytes = this.#rate.total(config, nowMs) + extraBytes;
    return bytes / (this.#rate.windowSizeMs(config, nowMs) / 1000);
  }

  /** The bytes in the window. */
  total(config: MetricConfig): number {
    return this.#rate.total(config, steadyNow(this.#clock));
  }

  /** The time, in ms, that the bytes are averaged over at `nowMs` of the monotonic clock. */
  windowSizeMs(config: MetricConfig, nowMs: number): number {
    return this.#rate.windowSizeMs(config, nowMs);
  }

  /** When the oldest sample in use began; ms of the monotonic clock. */
  oldestStartMs(config: MetricConfig): number {
    return this.#rate.oldestStartMs(config, steadyNow(this.#clock));
  }

  /** When the next sample leaves the window; ms of the monotonic clock. */
  nextExpiryMs(config: MetricConfig): number {
    return this.#rate.nextExpiryMs(config);
  }
}
