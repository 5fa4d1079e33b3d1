import { ManualClock } from '@logloft/clock';
import {
  type BinScheme,
  ConstantBins,
  Frequencies,
  Histogram,
  InvalidMetricOptionError,
  LinearBins,
  MetricName,
  MetricsRegistry,
  Percentiles,
} from '@logloft/metrics';
import { describe, expect, test } from 'vitest';
import { decode, type Encoded, readVectors } from './read-vectors.ts';

interface Scenario {
  readonly name: string;
  readonly scheme: 'CONSTANT' | 'LINEAR';
  readonly bins: number;
  readonly min: number;
  readonly max: number;
  readonly toBin: readonly (readonly [x: Encoded, bin: number | { readonly error: string }])[];
  readonly fromBin: readonly (readonly [bin: number, value: Encoded])[];
  readonly histogram?: {
    readonly quantiles: readonly number[];
    readonly emptyValues: readonly Encoded[];
    readonly record: readonly Encoded[];
    readonly values: readonly Encoded[];
    readonly counts?: readonly number[];
  };
}

const scenarios = readVectors<Scenario>('histogram');
const name = new MetricName({ name: 'n', group: 'g' });

function makeScheme({ scheme, bins, min, max }: Scenario): BinScheme {
  return scheme === 'LINEAR' ? new LinearBins({ bins, max }) : new ConstantBins({ bins, min, max });
}

function binOrError(scheme: BinScheme, value: number): number | 'error' {
  try {
    return scheme.toBin(value);
  } catch {
    return 'error';
  }
}

test.each(scenarios)('$name: bins and quantiles are those of the original', (scenario) => {
  const scheme = makeScheme(scenario);
  for (const [x, bin] of scenario.toBin) {
    const expected = typeof bin === 'number' ? bin : 'error';
    expect([x, binOrError(scheme, decode(x))]).toStrictEqual([x, expected]);
  }
  for (const [bin, value] of scenario.fromBin) {
    expect([bin, scheme.fromBin(bin)]).toStrictEqual([bin, decode(value)]);
  }
  if (scenario.histogram === undefined) return;
  const { quantiles, emptyValues, record, values, counts } = scenario.histogram;
  const histogram = new Histogram(scheme);
  const read = (): readonly number[] => quantiles.map((quantile) => histogram.value(quantile));
  expect(read()).toStrictEqual(emptyValues.map(decode));
  for (const value of record) histogram.record(decode(value));
  expect(read()).toStrictEqual(values.map(decode));
  if (counts !== undefined) expect(histogram.counts()).toEqual(counts);
});

describe('what the original refuses is refused', () => {
  const percentiles = (sizeInBytes: number, min: number, bucketing: 'constant' | 'linear') => () =>
    new Percentiles({ sizeInBytes, min, max: 10, bucketing, percentiles: [] });
  const frequencies =
    (buckets: number, min: number, max: number, centers: readonly number[] = []) =>
    () =>
      new Frequencies({
        buckets,
        min,
        max,
        frequencies: centers.map((center) => ({ name, center })),
      });

  test.each([
    ['one constant bin', () => new ConstantBins({ bins: 1, min: 0, max: 1 })],
    ['one linear bin', () => new LinearBins({ bins: 1, max: 1 })],
    ['linear percentiles from 1', percentiles(400, 1, 'linear')],
    ['percentiles with room for one bin', percentiles(4, 0, 'constant')],
    ['one bucket', frequencies(1, 0, 1)],
    ['no bucket', frequencies(0, 0, 1)],
    ['an empty range', frequencies(2, 1, 0)],
    ['a center outside the range', frequencies(2, 0, 1, [2])],
    ['more frequencies than buckets', frequencies(2, 0, 1, [0, 0.5, 1])],
    ['neither yes nor no', () => Frequencies.ofBooleans({})],
  ])('%s', (_, make) => {
    expect(make).toThrow(InvalidMetricOptionError);
  });
});

test('the shares of yes and no follow what was recorded', () => {
  const registry = new MetricsRegistry({ clock: new ManualClock() });
  const [no, yes] = ['no', 'yes'].map((answer) =>
    registry.metricName({ name: answer, group: 'g' }),
  );
  const sensor = registry.sensor('answers');
  sensor.addCompound(Frequencies.ofBooleans({ no, yes }));
  for (const answer of [1, 1, 0, 1]) sensor.record(answer);
  const shares = [...registry.snapshot()].map(({ name: { name: of }, value }) => [of, value]);
  expect(shares).toEqual([
    ['count', 3],
    ['no', 0.25],
    ['yes', 0.75],
  ]);
});
