/** A unit that values may be in. `none` is for a number whose name only looks as if it had one. */
export type MetricUnit =
  | 'nanoseconds'
  | 'microseconds'
  | 'milliseconds'
  | 'seconds'
  | 'bytes'
  | 'percent'
  | 'ratio'
  | 'none';

/** A unit that exporters show values in. */
export type BaseUnit = 'seconds' | 'bytes' | 'ratio';

/** What a unit is shown in, and what to divide values by for that. */
export interface Conversion {
  readonly base: BaseUnit;
  readonly divisor: number;
}

const CONVERSIONS: ReadonlyMap<MetricUnit, Conversion> = new Map([
  ['nanoseconds', { base: 'seconds', divisor: 1e9 }],
  ['microseconds', { base: 'seconds', divisor: 1e6 }],
  ['milliseconds', { base: 'seconds', divisor: 1e3 }],
  ['seconds', { base: 'seconds', divisor: 1 }],
  ['bytes', { base: 'bytes', divisor: 1 }],
  ['percent', { base: 'ratio', divisor: 100 }],
  ['ratio', { base: 'ratio', divisor: 1 }],
]);

const WORDS: ReadonlyMap<string, MetricUnit> = new Map([
  ['ns', 'nanoseconds'],
  ['nanos', 'nanoseconds'],
  ['nanoseconds', 'nanoseconds'],
  ['us', 'microseconds'],
  ['micros', 'microseconds'],
  ['microseconds', 'microseconds'],
  ['ms', 'milliseconds'],
  ['millis', 'milliseconds'],
  ['milliseconds', 'milliseconds'],
  ['seconds', 'seconds'],
  ['bytes', 'bytes'],
  ['percent', 'percent'],
  ['ratio', 'ratio'],
]);

/** How to show what is in `unit`; undefined when it has none. */
export function conversionOf(unit: MetricUnit): Conversion | undefined {
  return CONVERSIONS.get(unit);
}

/** The unit that a word of a name stands for, if it is one. */
export function unitOfWord(word: string): MetricUnit | undefined {
  return WORDS.get(word);
}
