import {
  Avg,
  type CompoundStat,
  CumulativeCount,
  CumulativeSum,
  Frequencies,
  Max,
  type MeasurableStat,
  Meter,
  type MetricConfig,
  MetricName,
  Min,
  Percentiles,
  Rate,
  SimpleRate,
  type Stat,
  type TimeUnit,
  TokenBucket,
  Value,
  WindowedCount,
  type WindowedStat,
  WindowedSum,
} from '@logloft/metrics';
import { expect, test } from 'vitest';
import { decode, type Encoded, readVectors } from './read-vectors.ts';
import { metricConfig, type VectorConfig } from './vector-config.ts';

interface StatSpec {
  readonly type: string;
  readonly unit?: string;
  readonly stat?: string;
  readonly initial?: number;
  readonly sizeInBytes?: number;
  readonly buckets?: number;
  readonly min?: number;
  readonly max?: number;
  readonly bucketing?: string;
  readonly percentiles?: readonly number[];
  readonly centers?: readonly number[];
}

type Op =
  | readonly ['r', t: number, v: Encoded]
  | readonly ['rm', t: number, v: Encoded, expected: Encoded | readonly Encoded[]]
  | readonly ['m', t: number, expected: Encoded | readonly Encoded[]]
  | readonly ['rn', t: number, v: Encoded, times: number]
  | readonly ['c', config: VectorConfig];

interface Scenario {
  readonly name: string;
  readonly stat: StatSpec;
  readonly config: VectorConfig;
  readonly ops: readonly Op[];
}

interface Subject {
  readonly stat: Stat;
  outputs(config: MetricConfig, nowMs: number): readonly number[];
}

test.each([
  ['avg', 4_207],
  ['max', 4_207],
  ['min', 4_207],
  ['windowed-sum', 4_207],
  ['windowed-count', 3_727],
  ['cumulative-and-value', 1_240],
  ['rate', 5_407],
  ['rate-units', 1_554],
  ['rate-over-other-stats', 2_016],
  ['simple-rate', 5_407],
  ['meter', 4_560],
  ['token-bucket', 5_378],
  // Three scenarios record 16.8 million values each, until a float counts no further.
  ['percentiles-constant', 4_015],
  ['percentiles-linear', 3_074],
  ['frequencies', 3_720],
])(
  '%s answers as the original to the last bit in all %i rows',
  { timeout: 120_000 },
  (file, rows) => {
    let replayed = 0;
    for (const scenario of readVectors<Scenario>(file)) replayed += replay(scenario);
    expect(replayed).toBe(rows);
  },
);

function replay(scenario: Scenario): number {
  const subject = makeSubject(scenario.stat);
  let config = metricConfig(scenario.config);
  for (const [index, op] of scenario.ops.entries()) {
    if (op[0] === 'c') {
      config = metricConfig(op[1]);
      continue;
    }
    recordRow(subject.stat, config, op);
    if (op[0] === 'r' || op[0] === 'rn') continue;
    const expected = [op[0] === 'm' ? op[2] : op[3]].flat().map(decode);
    const actual = subject.outputs(config, op[1]);
    const equal = actual.every((value, i) => Object.is(value, expected[i]));
    if (!equal || actual.length !== expected.length) {
      expect.fail(`${scenario.name}, row ${index}: expected ${expected}, got ${actual}`);
    }
  }
  return scenario.ops.length;
}

function recordRow(
  stat: Stat,
  config: MetricConfig,
  op: Exclude<Op, readonly ['c', VectorConfig]>,
): void {
  if (op[0] === 'm') return;
  const times = op[0] === 'rn' ? op[3] : 1;
  const value = decode(op[2]);
  recordTimes({ stat, config, value, timeMs: op[1] }, times);
}

/** By itself, so that the compiler sees a loop that does nothing else. */
function recordTimes(
  event: { stat: Stat; config: MetricConfig; value: number; timeMs: number },
  times: number,
): void {
  const { stat, config, value, timeMs } = event;
  for (let count = 0; count < times; count += 1) stat.record(config, value, timeMs);
}

function makeSubject(spec: StatSpec): Subject {
  const unit = spec.unit?.toLowerCase() as TimeUnit | undefined;
  if (spec.type === 'Rate') {
    const rate = new Rate({ unit, stat: windowedStat(spec.stat) });
    return {
      stat: rate,
      outputs: (config, now) => [rate.measure(config, now), rate.windowSizeMs(config, now)],
    };
  }
  if (spec.type === 'SimpleRate') {
    const rate = new SimpleRate();
    return {
      stat: rate,
      outputs: (config, now) => [rate.measure(config, now), rate.windowSizeMs(config, now)],
    };
  }
  if (spec.type === 'Percentiles') return compoundSubject(percentiles(spec));
  if (spec.type === 'Frequencies') return compoundSubject(frequencies(spec));
  if (spec.type === 'Meter') return meterSubject(spec, unit);
  const stat = spec.type === 'TokenBucket' ? new TokenBucket(unit) : plainStat(spec);
  return { stat, outputs: (config, now) => [stat.measure(config, now)] };
}

function meterSubject(spec: StatSpec, unit: TimeUnit | undefined): Subject {
  const meter = new Meter({
    rate: new MetricName({ name: 'rate', group: 'test' }),
    total: new MetricName({ name: 'total', group: 'test' }),
    unit,
    of: spec.stat === 'WindowedCount' ? 'count' : 'sum',
  });
  const parts = meter.metrics();
  return {
    stat: meter,
    outputs: (config, now) => parts.map(({ measurable }) => measurable.measure(config, now)),
  };
}

/** A compound that can also be measured by itself, which comes last. */
function compoundSubject(stat: CompoundStat & MeasurableStat): Subject {
  const parts = stat.metrics();
  return {
    stat,
    outputs: (config, now) => [
      ...parts.map(({ measurable }) => measurable.measure(config, now)),
      stat.measure(config, now),
    ],
  };
}

function percentiles(spec: StatSpec): Percentiles {
  return new Percentiles({
    sizeInBytes: spec.sizeInBytes ?? 0,
    min: spec.min,
    max: spec.max ?? 0,
    bucketing: spec.bucketing === 'LINEAR' ? 'linear' : 'constant',
    percentiles: (spec.percentiles ?? []).map((percentile) => ({
      name: new MetricName({ name: `p${percentile}`, group: 'test' }),
      percentile,
    })),
  });
}

function frequencies(spec: StatSpec): Frequencies {
  return new Frequencies({
    buckets: spec.buckets ?? 0,
    min: spec.min ?? 0,
    max: spec.max ?? 0,
    frequencies: (spec.centers ?? []).map((center) => ({
      name: new MetricName({ name: `f${center}`, group: 'test' }),
      center,
    })),
  });
}

function plainStat(spec: StatSpec): MeasurableStat {
  switch (spec.type) {
    case 'CumulativeSum':
      return new CumulativeSum(spec.initial);
    case 'CumulativeCount':
      return new CumulativeCount();
    case 'Value':
      return new Value();
    default:
      return windowedStat(spec.type);
  }
}

function windowedStat(type: string | undefined): WindowedStat {
  switch (type) {
    case 'Avg':
      return new Avg();
    case 'Max':
      return new Max();
    case 'Min':
      return new Min();
    case 'WindowedCount':
      return new WindowedCount();
    case 'WindowedSum':
      return new WindowedSum();
    default:
      throw new Error(`the vectors name a stat that is not built: ${type}`);
  }
}
