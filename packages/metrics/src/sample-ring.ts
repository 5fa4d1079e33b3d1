// Hot path: no closure and no allocation per record, one shape for all stats.
import type { MetricConfig } from './metric-config.ts';
import { Sample } from './sample.ts';

/**
 * The samples of a windowed stat, as Kafka keeps them since 3.8: a ring with one place more than the
 * configured number of samples. The spare one keeps a sample that began before the window but has
 * events inside it; with a ring of the exact size rates would spike whenever a sample is dropped.
 *
 * A sample is complete by the age of its start and is dropped by the age of its last event, so
 * that data counts until almost one sample's time after it left the window.
 */
export class SampleRing {
  readonly #initialValue: number;
  readonly #samples: Sample[] = [];
  #current: Sample | undefined;
  #currentIndex = 0;
  #oldest: Sample | undefined;
  // At most the smallest `lastEventMs`: while it is young enough, nothing needs to be looked at.
  #earliestEventMs = Number.POSITIVE_INFINITY;

  /** @param initialValue what an empty sample holds */
  constructor(initialValue: number) {
    this.#initialValue = initialValue;
  }

  /** How many places of the ring are in use; at most the number of samples + 1. */
  get size(): number {
    return this.#samples.length;
  }

  /** The place that the last record went into. */
  get currentIndex(): number {
    return this.#currentIndex;
  }

  /** The sample for an event at `timeMs`, with the event counted; the caller adds the value. */
  admit(config: MetricConfig, timeMs: number): Sample {
    let sample = this.#current ?? this.#first(timeMs);
    if (timeMs - sample.startMs >= config.timeWindowMs || sample.eventCount >= config.eventWindow) {
      sample = this.#advance(config, timeMs);
    }
    sample.eventCount += 1;
    sample.lastEventMs = timeMs;
    if (timeMs < this.#earliestEventMs) this.#earliestEventMs = timeMs;
    return sample;
  }

  /**
   * Empties the samples that are too old, and returns all of them in the order of the ring, which
   * is not that of time. Sums must be made in this order to be exact to the last bit.
   */
  live(config: MetricConfig, nowMs: number): readonly Sample[] {
    if (nowMs - this.#earliestEventMs >= config.expiryAgeMs) this.#purge(config, nowMs);
    return this.#samples;
  }

  /** See `WindowedStat.oldestStartMs`. Empty samples count, the first of equals wins. */
  oldestStartMs(config: MetricConfig, nowMs: number): number {
    this.live(config, nowMs);
    this.#oldest ??= this.#findOldest() ?? this.#first(nowMs);
    return this.#oldest.startMs;
  }

  /** See `WindowedStat.nextExpiryMs`. */
  nextExpiryMs(config: MetricConfig): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const sample of this.#samples) {
      if (sample.lastEventMs < earliest) earliest = sample.lastEventMs;
    }
    return earliest + config.expiryAgeMs;
  }

  #first(timeMs: number): Sample {
    const sample = new Sample(this.#initialValue, timeMs);
    this.#samples.push(sample);
    this.#current = sample;
    this.#earliestEventMs = timeMs;
    return sample;
  }

  #advance(config: MetricConfig, timeMs: number): Sample {
    const index = (this.#currentIndex + 1) % (config.samples + 1);
    let sample = this.#samples[index];
    if (sample === undefined) {
      sample = new Sample(this.#initialValue, timeMs);
      this.#samples.push(sample);
      // An index beyond the end is the end: the ring grows by one place at a time.
    } else {
      sample.reset(this.#initialValue, timeMs);
    }
    this.#currentIndex = index;
    this.#current = sample;
    this.#oldest = undefined;
    return sample;
  }

  #purge(config: MetricConfig, nowMs: number): void {
    let earliest = Number.POSITIVE_INFINITY;
    for (const sample of this.#samples) {
      if (nowMs - sample.lastEventMs >= config.expiryAgeMs) {
        sample.reset(this.#initialValue, nowMs);
      }
      if (sample.lastEventMs < earliest) earliest = sample.lastEventMs;
    }
    this.#earliestEventMs = earliest;
    this.#oldest = undefined;
  }

  #findOldest(): Sample | undefined {
    let oldest = this.#samples[0];
    for (const sample of this.#samples) {
      if (oldest === undefined || sample.startMs < oldest.startMs) oldest = sample;
    }
    return oldest;
  }
}
