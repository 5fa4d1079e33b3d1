import type { MetricConfig } from './metric-config.ts';
import { SampleRing } from './sample-ring.ts';

/** The samples of a windowed stat that counts values by bins. Counts are 32-bit floats, as in Kafka. */
export class HistogramRing {
  readonly #bins: number;
  readonly #ring = new SampleRing(0);
  readonly #counts: Float32Array[] = [];

  constructor(bins: number) {
    this.#bins = bins;
  }

  /** How many samples there are. */
  get size(): number {
    return this.#ring.size;
  }

  /** Counts an event at `timeMs` in `bin`. */
  add(config: MetricConfig, bin: number, timeMs: number): void {
    const sample = this.#ring.admit(config, timeMs);
    let counts = this.#counts[sample];
    if (counts === undefined) {
      counts = new Float32Array(this.#bins);
      this.#counts[sample] = counts;
    }
    // The ring empties samples by itself; the first event shows that this one was.
    if (this.#ring.eventCount(sample) === 1) counts.fill(0);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }

  /** Empties the samples that are too old. */
  purge(config: MetricConfig, nowMs: number): void {
    this.#ring.purge(config, nowMs);
  }

  /** How many events `sample` has. */
  eventCount(sample: number): number {
    return this.#ring.eventCount(sample);
  }

  /** How many events of `sample` fell into `bin`. */
  count(sample: number, bin: number): number {
    return this.#ring.eventCount(sample) === 0 ? 0 : (this.#counts[sample]?.[bin] ?? 0);
  }
}
