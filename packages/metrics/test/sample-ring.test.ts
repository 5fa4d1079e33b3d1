import { expect, test } from 'vitest';
import { MetricConfig } from '../src/metric-config.ts';
import { SampleRing } from '../src/sample-ring.ts';
import { decode, type Encoded, readVectors } from './read-vectors.ts';
import { metricConfig, type VectorConfig } from './vector-config.ts';

type RingState = readonly [value: Encoded, current: number, slots: readonly (readonly Encoded[])[]];

type Op =
  | readonly ['r', t: number, v: Encoded]
  | readonly ['rm', t: number, v: Encoded, expected: RingState]
  | readonly ['m', t: number, expected: RingState]
  | readonly ['c', config: VectorConfig];

interface Scenario {
  readonly name: string;
  readonly config: VectorConfig;
  readonly ops: readonly Op[];
}

test('the ring holds the samples that the original holds, in the same places, in all 948 rows', () => {
  let replayed = 0;
  for (const scenario of readVectors<Scenario>('sample-ring-state')) {
    const ring = new SampleRing(0);
    let config = metricConfig(scenario.config);
    for (const op of scenario.ops) {
      replayed += 1;
      if (op[0] === 'c') config = metricConfig(op[1]);
      else if (op[0] === 'm') expect(state(ring, config, op[1])).toEqual(decoded(op[2]));
      else {
        ring.add(config, decode(op[2]), op[1]);
        if (op[0] === 'rm') expect(state(ring, config, op[1])).toEqual(decoded(op[3]));
      }
    }
  }
  expect(replayed).toBe(948);
});

test('a ring of n samples never has more than n + 1 places', () => {
  const config = new MetricConfig({ samples: 3, timeWindowMs: 10 });
  const ring = new SampleRing(0);
  for (let t = 0; t < 1_000; t += 1) ring.admit(config, t);
  expect(ring.size).toBe(4);
});

test('the next expiry is when the sample with the oldest last event leaves the window', () => {
  const config = new MetricConfig({ samples: 2, timeWindowMs: 100 });
  const ring = new SampleRing(0);
  expect(ring.nextExpiryMs(config)).toBe(Number.POSITIVE_INFINITY);
  ring.admit(config, 1_000);
  ring.admit(config, 1_050);
  ring.admit(config, 1_120);
  expect(ring.nextExpiryMs(config)).toBe(1_250);
  ring.purge(config, 1_249);
  expect(eventCounts(ring)).toEqual([2, 1]);
  ring.purge(config, 1_250);
  expect(eventCounts(ring)).toEqual([0, 1]);
});

function state(ring: SampleRing, config: MetricConfig, nowMs: number): unknown {
  ring.purge(config, nowMs);
  let total = 0;
  const slots = Array.from({ length: ring.size }, (_, sample) => {
    total += ring.value(sample);
    return [
      ring.startMs(sample),
      ring.lastEventMs(sample),
      ring.eventCount(sample),
      ring.value(sample),
    ];
  });
  return [total, ring.current, slots];
}

function eventCounts(ring: SampleRing): readonly number[] {
  return Array.from({ length: ring.size }, (_, sample) => ring.eventCount(sample));
}

function decoded([value, current, slots]: RingState): unknown {
  return [decode(value), current, slots.map((slot) => slot.map(decode))];
}
