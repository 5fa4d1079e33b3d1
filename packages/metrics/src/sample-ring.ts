// Hot path: no closure and no allocation per record, one shape for all stats.
import type { MetricConfig } from './metric-config.ts';

// The cells of a sample. One array of doubles for the whole ring, since a double in a field of an
// object is a heap cell of its own: recording is about four times as fast this way.
const START = 0; // when it began, or when it was last emptied
const LAST_EVENT = 1; // when the last event came into it; the start while it is empty
const EVENT_COUNT = 2;
const VALUE = 3;
const CELLS = 4;

/**
 * The samples of a windowed stat, as Kafka keeps them since 3.8: a ring with one place more than the
 * configured number of samples. The spare one keeps a sample that began before the window but has
 * events inside it; with a ring of the exact size rates would spike whenever a sample is dropped.
 *
 * A sample is complete by the age of its start and is dropped by the age of its last event, so
 * that data counts until almost one sample's time after it left the window.
 *
 * Samples are numbered from 0 in the order of the ring, which is not that of time. Sums must be made
 * in this order to be exact to the last bit.
 */
export class SampleRing {
  readonly #initialValue: number;
  #cells = new Float64Array(0);
  #size = 0;
  #current = 0;
  #oldestStartMs = Number.NaN;
  // At most the smallest `LAST_EVENT`: while it is young enough, nothing needs to be looked at.
  #earliestEventMs = Number.POSITIVE_INFINITY;

  /** @param initialValue what an empty sample holds */
  constructor(initialValue: number) {
    this.#initialValue = initialValue;
  }

  /** How many samples there are; at most the configured number + 1. */
  get size(): number {
    return this.#size;
  }

  /** The sample that the last record went into. */
  get current(): number {
    return this.#current;
  }

  /** When `sample` began, or when it was last emptied. */
  startMs(sample: number): number {
    return this.#cell(sample, START);
  }

  /** When the last event came into `sample`; its start while it is empty. */
  lastEventMs(sample: number): number {
    return this.#cell(sample, LAST_EVENT);
  }

  /** How many events `sample` has. */
  eventCount(sample: number): number {
    return this.#cell(sample, EVENT_COUNT);
  }

  /** What `sample` holds. */
  value(sample: number): number {
    return this.#cell(sample, VALUE);
  }

  /** What all samples hold together, added up in their order. */
  sum(): number {
    const cells = this.#cells;
    const end = this.#size * CELLS;
    let total = 0;
    for (let at = VALUE; at < end; at += CELLS) total += cells[at] ?? Number.NaN;
    return total;
  }

  /** Replaces what `sample` holds. */
  setValue(sample: number, value: number): void {
    this.#cells[sample * CELLS + VALUE] = value;
  }

  /** Counts an event at `timeMs` and adds `value` to its sample. */
  add(config: MetricConfig, value: number, timeMs: number): void {
    const sample = this.admit(config, timeMs);
    this.setValue(sample, this.#cell(sample, VALUE) + value);
  }

  /** Counts an event at `timeMs` and returns its sample, for the caller to put the value into. */
  admit(config: MetricConfig, timeMs: number): number {
    let sample = this.#current;
    if (this.#size === 0 || this.#isComplete(config, timeMs))
      sample = this.#advance(config, timeMs);
    const at = sample * CELLS;
    const cells = this.#cells;
    cells[at + EVENT_COUNT] = (cells[at + EVENT_COUNT] ?? 0) + 1;
    cells[at + LAST_EVENT] = timeMs;
    if (timeMs < this.#earliestEventMs) this.#earliestEventMs = timeMs;
    return sample;
  }

  /** Empties the samples that are too old; they begin anew at `nowMs`. */
  purge(config: MetricConfig, nowMs: number): void {
    if (nowMs - this.#earliestEventMs < config.expiryAgeMs) return;
    let earliest = Number.POSITIVE_INFINITY;
    for (let sample = 0; sample < this.#size; sample += 1) {
      if (nowMs - this.lastEventMs(sample) >= config.expiryAgeMs) this.#reset(sample, nowMs);
      earliest = Math.min(earliest, this.lastEventMs(sample));
    }
    this.#earliestEventMs = earliest;
  }

  /** See `WindowedStat.oldestStartMs`. Empty samples count. */
  oldestStartMs(config: MetricConfig, nowMs: number): number {
    this.purge(config, nowMs);
    if (this.#size === 0) this.#append(nowMs);
    if (Number.isNaN(this.#oldestStartMs)) this.#oldestStartMs = this.#findOldestStart();
    return this.#oldestStartMs;
  }

  /** See `WindowedStat.nextExpiryMs`. */
  nextExpiryMs(config: MetricConfig): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (let sample = 0; sample < this.#size; sample += 1) {
      earliest = Math.min(earliest, this.lastEventMs(sample));
    }
    return earliest + config.expiryAgeMs;
  }

  #cell(sample: number, cell: number): number {
    return this.#cells[sample * CELLS + cell] ?? Number.NaN;
  }

  #isComplete(config: MetricConfig, timeMs: number): boolean {
    const sample = this.#current;
    return (
      timeMs - this.startMs(sample) >= config.timeWindowMs ||
      this.eventCount(sample) >= config.eventWindow
    );
  }

  #advance(config: MetricConfig, timeMs: number): number {
    if (this.#size > 0) this.#current = (this.#current + 1) % (config.samples + 1);
    // An index beyond the end is the end: the ring grows by one place at a time.
    if (this.#current >= this.#size) this.#append(timeMs);
    else this.#reset(this.#current, timeMs);
    return this.#current;
  }

  #append(timeMs: number): void {
    const used = this.#size * CELLS;
    if (used === this.#cells.length) {
      const grown = new Float64Array(Math.max(3 * CELLS, 2 * used));
      grown.set(this.#cells);
      this.#cells = grown;
    }
    this.#size += 1;
    this.#reset(this.#size - 1, timeMs);
    this.#earliestEventMs = Math.min(this.#earliestEventMs, timeMs);
  }

  #reset(sample: number, timeMs: number): void {
    const at = sample * CELLS;
    this.#cells[at + START] = timeMs;
    this.#cells[at + LAST_EVENT] = timeMs;
    this.#cells[at + EVENT_COUNT] = 0;
    this.#cells[at + VALUE] = this.#initialValue;
    this.#oldestStartMs = Number.NaN;
  }

  #findOldestStart(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (let sample = 0; sample < this.#size; sample += 1) {
      oldest = Math.min(oldest, this.startMs(sample));
    }
    return oldest;
  }
}
