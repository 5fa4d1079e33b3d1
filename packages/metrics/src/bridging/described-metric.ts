import type { Metric } from '../metric.ts';
import type { MetricName } from '../metric-name.ts';
import { type BaseUnit, conversionOf, type MetricUnit, unitOfWord } from './metric-unit.ts';
import { wordsOf } from './words.ts';

/** How metrics of a registry get the names that exporters use. */
export interface NamingOptions {
  /**
   * The unit of a metric, where its name does not end in it (Kafka's throttle times are in ms).
   * Default: what the name says.
   */
  readonly unitOf?: ((name: MetricName) => MetricUnit | undefined) | undefined;
  /** Whether times become seconds and percents ratios, in name and value. Default true. */
  readonly baseUnits?: boolean | undefined;
}

/** How several metrics of one name become one number, where there are too many. */
export type Fold = 'sum' | 'greatest' | 'least' | 'none';

/** A metric as exporters see it. */
export interface DescribedMetric {
  readonly isCounter: boolean;
  readonly groupWords: readonly string[];
  /** Without `total` and without the unit. */
  readonly nameWords: readonly string[];
  readonly unit: BaseUnit | undefined;
  /** What values are divided by to be in the unit. */
  readonly divisor: number;
  readonly fold: Fold;
}

/**
 * Sorts the words of a metric's name. A unit of time may stand anywhere but in front, since Kafka's
 * names go on after it (`wait-time-ns-total`); other units count only at the end.
 */
export function describeMetric(metric: Metric, options: NamingOptions = {}): DescribedMetric {
  const groupWords = wordsOf(metric.name.group.replace(/-metrics$/, ''));
  const words = [...wordsOf(metric.name.name)];
  const endsInTotal = words.length > 1 && words.at(-1) === 'total';
  if (endsInTotal) words.pop();
  const isCounter = endsInTotal || metric.isCumulative;
  const fold = isCounter ? 'sum' : foldOf(words);
  const conversion = takeUnit(words, metric.name, options);
  return {
    isCounter,
    groupWords,
    nameWords: words,
    unit: conversion?.base,
    divisor: conversion?.divisor ?? 1,
    fold,
  };
}

/** Takes the word for the unit out of `words` and says how to convert. */
function takeUnit(
  words: string[],
  name: MetricName,
  { unitOf, baseUnits = true }: NamingOptions,
): ReturnType<typeof conversionOf> {
  const given = unitOf?.(name);
  const at = given === 'none' ? -1 : unitIndex(words);
  const unit = given ?? unitOfWord(words[at] ?? '');
  const conversion = unit === undefined ? undefined : conversionOf(unit);
  // Without conversion the name stays as it is, unless it ends in a base unit all the same.
  if (conversion === undefined || (!baseUnits && conversion.divisor !== 1)) return undefined;
  if (!baseUnits && at !== words.length - 1) return undefined;
  if (at >= 0) words.splice(at, 1);
  return conversion;
}

function unitIndex(words: readonly string[]): number {
  const last = words.length - 1;
  // A rate of a time is no time, and what is per second is no number of seconds.
  if (last < 1 || words[last] === 'rate' || words.includes('per')) return -1;
  if (unitOfWord(words[last] ?? '') !== undefined) return last;
  return words.findIndex((word, index) => {
    const unit = index === 0 ? undefined : unitOfWord(word);
    return unit !== undefined && conversionOf(unit)?.base === 'seconds';
  });
}

function foldOf(words: readonly string[]): Fold {
  for (const word of words.toReversed()) {
    if (word === 'max') return 'greatest';
    if (word === 'min') return 'least';
    if (/^(avg|average|mean|median|ratio|percent|percentile|p\d+)$/.test(word)) return 'none';
  }
  return 'sum';
}
