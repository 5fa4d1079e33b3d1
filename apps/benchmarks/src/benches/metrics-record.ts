import { ManualClock } from '@logloft/clock';
import {
  Meter,
  MetricConfig,
  MetricName,
  MetricsRegistry,
  Rate,
  type Sensor,
} from '@logloft/metrics';
import { allocatedBytes } from '../harness/allocation-profile.ts';
import type { Bench, BenchOptions } from '../harness/bench.ts';
import { figure, megabytes, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave } from '../harness/rounds.ts';
import { steadyNanosecondsPerCall } from '../harness/steady-nanos.ts';

/** What Kafka's own classes need in Java on this kind of machine: 44 and 400. */
const RECORD_AIM_NANOS = 44;
const MEASURE_AIM_NANOS = 200;
const SAMPLES = 61;
const SAMPLE_MS = 1000;
/** Records in each ms of the time that is given. */
const RECORDS_PER_MS = 100;
const CALLS = 1000;
/** The profile itself, and the compiler, take some. */
const ALLOCATED_AIM_BYTES = 1e6;
const LEAST_BYTES = 1e4;

/** Recording values and reading rates. */
export const m1: Bench = {
  id: 'M1',
  title: 'M1 metrics: recording into a meter and reading a rate, against a bare counter',
  async run({ smoke, rounds }: BenchOptions): Promise<Report> {
    const targetMs = smoke ? 5 : 40;
    const results = await interleave(
      [
        { name: 'counter', run: () => ({ ns: counterNanos(targetMs) }) },
        { name: 'meter', run: () => ({ ns: meterNanos(targetMs) }) },
        { name: 'sensor', run: () => ({ ns: sensorNanos(targetMs) }) },
        { name: 'rate', run: () => ({ ns: rateNanos(targetMs, 0) }) },
        { name: 'moving rate', run: () => ({ ns: rateNanos(targetMs, 1) }) },
      ],
      rounds,
    );
    const aimed = (what: string, name: string, aim: number): Row => ({
      what,
      ours: spread(results.summary(name, 'ns'), 'ns'),
      peer: `at most ${aim} ns`,
      ratio: aim / results.median(name, 'ns'),
      target: 1,
    });
    const counter = `bare counter ${figure(results.median('counter', 'ns'))} ns`;
    const records = smoke ? 1_000_000 : 10_000_000;
    return {
      title: this.title,
      rows: [
        aimed('Meter.record, the time given', 'meter', RECORD_AIM_NANOS),
        aimed('Sensor.record with a meter, the time given', 'sensor', RECORD_AIM_NANOS),
        {
          what: 'the same',
          ours: `${figure(results.median('sensor', 'ns'))} ns`,
          peer: counter,
          ratio: results.ratio('counter', 'sensor', 'ns'),
          target: undefined,
        },
        aimed(`Rate.measure over ${SAMPLES} samples`, 'rate', MEASURE_AIM_NANOS),
        aimed('the same with a record and a ms in between', 'moving rate', MEASURE_AIM_NANOS),
        await allocationRow(records),
      ],
    };
  },
};

async function allocationRow(records: number): Promise<Row> {
  const sensor = meteredSensor();
  // Compiled before, so that the profile shows the records alone.
  recordMany(sensor, records / 10, 0);
  const bytes = await allocatedBytes(() => recordMany(sensor, records, records / 10));
  return {
    what: `heap taken by ${records / 1e6} million records, by a heap profile`,
    ours: `${megabytes(bytes)}, ${figure(bytes / records)} B a record`,
    peer: `at most ${megabytes(ALLOCATED_AIM_BYTES)}`,
    ratio: ALLOCATED_AIM_BYTES / Math.max(LEAST_BYTES, bytes),
    target: 1,
  };
}

function counterNanos(targetMs: number): number {
  const counter = { total: 0 };
  const count = (): void => {
    for (let i = 0; i < CALLS; i += 1) counter.total += i;
  };
  return steadyNanosecondsPerCall(count, targetMs) / CALLS;
}

function meterNanos(targetMs: number): number {
  const config = windowConfig();
  const meter = new Meter({ rate: nameOf('rate'), total: nameOf('total') });
  let recorded = 0;
  const record = (): void => {
    for (let i = 0; i < CALLS; i += 1) meter.record(config, i, timeOf(recorded + i));
    recorded += CALLS;
  };
  return steadyNanosecondsPerCall(record, targetMs) / CALLS;
}

function sensorNanos(targetMs: number): number {
  const sensor = meteredSensor();
  let recorded = 0;
  const record = (): void => {
    recordMany(sensor, CALLS, recorded);
    recorded += CALLS;
  };
  return steadyNanosecondsPerCall(record, targetMs) / CALLS;
}

/** @param stepMs how the time moves from one look to the next; when it does, there is also a record */
function rateNanos(targetMs: number, stepMs: number): number {
  const config = windowConfig();
  const rate = new Rate();
  let nowMs = 0;
  for (let sample = 0; sample <= SAMPLES; sample += 1) {
    rate.record(config, 1000, nowMs);
    nowMs += SAMPLE_MS;
  }
  let sum = 0;
  const measure = (): void => {
    for (let i = 0; i < CALLS; i += 1) {
      if (stepMs > 0) rate.record(config, i, nowMs);
      sum += rate.measure(config, nowMs);
      nowMs += stepMs;
    }
  };
  const nanos = steadyNanosecondsPerCall(measure, targetMs) / CALLS;
  if (!Number.isFinite(sum)) throw new Error('A rate must be a number');
  return nanos;
}

function recordMany(sensor: Sensor, count: number, from: number): void {
  for (let i = 0; i < count; i += 1) sensor.record(i, timeOf(from + i));
}

/** Whole ms, as a clock gives them. */
function timeOf(record: number): number {
  return Math.floor(record / RECORDS_PER_MS);
}

function meteredSensor(): Sensor {
  const registry = new MetricsRegistry({ clock: new ManualClock({ startMs: 0 }) });
  const sensor = registry.sensor('bench', { config: windowConfig() });
  sensor.addCompound(new Meter({ rate: nameOf('rate'), total: nameOf('total') }));
  return sensor;
}

function windowConfig(): MetricConfig {
  return new MetricConfig({ samples: SAMPLES, timeWindowMs: SAMPLE_MS });
}

function nameOf(name: string): MetricName {
  return new MetricName({ name, group: 'bench', description: '' });
}
