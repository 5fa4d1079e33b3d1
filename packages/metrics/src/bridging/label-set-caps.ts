import { InvalidMetricOptionError } from '../errors.ts';
import type { Fold } from './described-metric.ts';
import type { WarnOnce } from './warn-once.ts';

/** How many label sets a name may have by default; the same as in the OpenTelemetry SDKs. */
const DEFAULT_LABEL_SETS = 2_000;

/** One series of a family with its value. */
export interface SeriesReading {
  /** Different for different label sets. */
  readonly key: string;
  readonly fold: Fold;
  readonly value: number;
}

/** What is left of the readings of a family. */
export interface CappedReadings<Reading> {
  readonly shown: readonly Reading[];
  /** What the others amount to, when there are others and they can be folded. */
  readonly overflow: number | undefined;
}

/** Holds each family to a bound on its label sets, by folding those that come later into one. */
export class LabelSetCaps {
  readonly #most: number;
  readonly #warnings: WarnOnce;
  readonly #families = new Map<string, CappedFamily>();

  /** @throws InvalidMetricOptionError when `most` is not an integer from 1 */
  constructor(most: number | undefined, warnings: WarnOnce) {
    this.#most = most ?? DEFAULT_LABEL_SETS;
    this.#warnings = warnings;
    if (Number.isSafeInteger(this.#most) && this.#most >= 1) return;
    throw new InvalidMetricOptionError(`maxLabelSets must be an integer from 1, got ${most}`);
  }

  apply<Reading extends SeriesReading>(
    family: string,
    readings: readonly Reading[],
  ): CappedReadings<Reading> {
    let capped = this.#families.get(family);
    if (capped === undefined) {
      // Most families never come near the bound, and need no books.
      if (readings.length <= this.#most) return { shown: readings, overflow: undefined };
      capped = new CappedFamily(this.#most);
      this.#families.set(family, capped);
      this.#warn(family, readings.length);
    }
    return capped.apply(readings);
  }

  #warn(family: string, labelSets: number): void {
    this.#warnings.warn(family, {
      code: 'LOGLOFT_METRICS_LABEL_SETS',
      message:
        `The metric ${family} must have at most ${this.#most} label sets, but has ${labelSets}; ` +
        'the later ones are shown as one that is marked as overflow. Use fewer tags, or raise ' +
        'maxLabelSets.',
    });
  }
}

/**
 * Which series are shown by themselves. One that is keeps its place until its metric is gone, and
 * one that was folded stays folded: a total that left the sum of the others would look like a
 * restart.
 */
class CappedFamily {
  readonly #most: number;
  #shown: ReadonlySet<string> = new Set();
  #folded: ReadonlySet<string> = new Set();

  constructor(most: number) {
    this.#most = most;
  }

  apply<Reading extends SeriesReading>(readings: readonly Reading[]): CappedReadings<Reading> {
    this.#assignPlaces(readings);
    const others = readings.filter(({ key }) => this.#folded.has(key));
    const folded = others.reduce<SeriesReading | undefined>(foldTogether, undefined);
    return {
      shown: readings.filter(({ key }) => this.#shown.has(key)),
      overflow: folded === undefined || folded.fold === 'none' ? undefined : folded.value,
    };
  }

  #assignPlaces(readings: readonly SeriesReading[]): void {
    const shown = new Set<string>();
    const folded = new Set<string>();
    for (const { key } of readings) {
      if (this.#shown.has(key)) shown.add(key);
      else if (this.#folded.has(key)) folded.add(key);
    }
    for (const { key } of readings) {
      if (shown.has(key) || folded.has(key)) continue;
      if (shown.size < this.#most) shown.add(key);
      else folded.add(key);
    }
    this.#shown = shown;
    this.#folded = folded;
  }
}

function foldTogether(folded: SeriesReading | undefined, reading: SeriesReading): SeriesReading {
  // What has no value, such as the maximum of nothing, says nothing about the others.
  if (folded === undefined || Number.isNaN(folded.value)) return reading;
  if (Number.isNaN(reading.value)) return folded;
  return { ...folded, value: combine(folded, reading.value) };
}

function combine({ fold, value }: SeriesReading, other: number): number {
  if (fold === 'greatest') return Math.max(value, other);
  return fold === 'least' ? Math.min(value, other) : value + other;
}
