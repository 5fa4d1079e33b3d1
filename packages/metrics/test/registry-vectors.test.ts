import { ManualClock } from '@logloft/clock';
import {
  Avg,
  CumulativeCount,
  CumulativeSum,
  Max,
  type MeasurableStat,
  Meter,
  type MetricName,
  MetricsRegistry,
  Min,
  QuotaViolationError,
  Rate,
  type RecordingLevel,
  type Sensor,
  SimpleRate,
  TokenBucket,
  Value,
  WindowedCount,
  WindowedSum,
} from '@logloft/metrics';
import { expect, test } from 'vitest';
import { decode, type Encoded, readVectors } from './read-vectors.ts';
import { metricConfig, type VectorConfig } from './vector-config.ts';

interface NameSpec {
  readonly name: string;
  readonly group: string;
  readonly description: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** One row; which fields it has depends on `op`. */
interface Op {
  readonly op: string;
  readonly t?: number;
  readonly name?: string;
  readonly sensor?: string;
  readonly metric?: NameSpec | string;
  readonly rate?: NameSpec;
  readonly total?: NameSpec;
  readonly stat?: string;
  readonly config?: VectorConfig | null;
  readonly level?: RecordingLevel;
  readonly expirySeconds?: number | null;
  readonly parents?: readonly string[];
  readonly v?: Encoded;
  readonly value?: number;
  readonly checkQuotas?: boolean;
  readonly expect?: unknown;
}

test.each([
  ['sensor-quota', 237],
  ['sensor-parents', 102],
  ['sensor-expiry', 110],
  ['sensor-random', 2_976],
  ['recording-levels', 93],
  ['registry', 80],
])('%s: sensors and registry answer as the original in all %i rows', (file, rows) => {
  let replayed = 0;
  for (const { name, ops } of readVectors<{ name: string; ops: readonly Op[] }>(file)) {
    const replay = new Replay();
    for (const [index, op] of ops.entries()) {
      const actual = replay.run(op);
      if (op.expect !== undefined) {
        expect(actual, `${name}, row ${index}: ${JSON.stringify(op)}`).toEqual(wanted(op.expect));
      }
      replayed += 1;
    }
  }
  expect(replayed).toBe(rows);
});

/** The expected answer without the parts that are Java's own (class names and texts). */
function wanted(expected: unknown): unknown {
  if (typeof expected === 'object' && expected !== null) {
    if ('error' in expected) return { error: true };
    if ('violation' in expected) {
      const { metric, value, bound } = expected.violation as Record<string, Encoded>;
      return { violation: { metric, value: decode(value ?? ''), bound: decode(bound ?? '') } };
    }
    return expected;
  }
  return expected === 'NaN' || expected === 'Infinity' || expected === '-Infinity'
    ? decode(expected)
    : expected;
}

class Replay {
  #clock = new ManualClock();
  #registry = new MetricsRegistry({ clock: this.#clock });
  readonly #sensors = new Map<string, Sensor>();
  readonly #names = new Map<string, MetricName>();

  run(op: Op): unknown {
    switch (op.op) {
      case 'newMetrics':
        this.#clock = new ManualClock({ startMs: op.t });
        this.#registry = new MetricsRegistry({ clock: this.#clock, config: config(op) });
        return undefined;
      case 'time':
        this.#clock.advance((op.t ?? 0) - this.#clock.now());
        return undefined;
      case 'sensor':
        return outcome(() => this.#createSensor(op));
      case 'removeSensor':
        this.#registry.removeSensor(op.sensor ?? '');
        return undefined;
      case 'removeMetric':
        return this.#registry.removeMetric(this.#name(op.metric)) ? 'removed' : 'absent';
      case 'setMetricConfig':
        this.#registry.metric(this.#name(op.metric))?.updateConfig(config(op) ?? {});
        return undefined;
      case 'expireTask':
        this.#registry.expireSensors();
        return undefined;
      case 'state':
        return this.#state();
      case 'measure':
        return this.#registry.metric(this.#name(op.metric))?.value() ?? null;
      case 'addGauge':
        return outcome(() => {
          this.#registry.addGauge(this.#name(op.metric), () => op.value ?? 0);
          return 'ok';
        });
      case 'addGaugeIfAbsent':
        return this.#registry.addGaugeIfAbsent(this.#name(op.metric), () => op.value ?? 0).value();
      default:
        return this.#runOnSensor(op, this.#sensor(op));
    }
  }

  #runOnSensor(op: Op, sensor: Sensor): unknown {
    switch (op.op) {
      case 'add':
        return outcome(() => sensor.add(this.#name(op.metric), makeStat(op.stat), config(op)));
      case 'addMeter':
        return outcome(() => {
          const meter = new Meter({ rate: this.#name(op.rate), total: this.#name(op.total) });
          return sensor.addCompound(meter, config(op));
        });
      case 'record':
        return outcome(() => {
          const value = decode(op.v ?? 1);
          if (op.checkQuotas === false) sensor.recordUnchecked(value, op.t);
          else sensor.record(value, op.t);
          return 'ok';
        });
      case 'checkQuotas':
        return outcome(() => {
          sensor.checkQuotas();
          return 'ok';
        });
      case 'shouldRecord':
        return sensor.shouldRecord;
      case 'hasExpired':
        return sensor.hasExpired();
      case 'hasMetrics':
        return sensor.metrics.length > 0;
      default:
        throw new Error(`unknown row ${op.op}`);
    }
  }

  #createSensor(op: Op): string {
    const name = op.name ?? '';
    const existed = this.#registry.getSensor(name) !== undefined;
    const parents = (op.parents ?? []).map((parent) => this.#sensor({ op: '', sensor: parent }));
    const sensor = this.#registry.sensor(name, {
      config: config(op),
      expirySeconds: op.expirySeconds ?? undefined,
      level: op.level,
      parents,
    });
    this.#sensors.set(name, sensor);
    return existed ? 'existing' : 'created';
  }

  #sensor(op: Op): Sensor {
    const sensor = this.#sensors.get(op.sensor ?? '');
    if (sensor === undefined) throw new Error(`the row names no sensor: ${JSON.stringify(op)}`);
    return sensor;
  }

  /** The metric that the row describes, or the one last described under the name it gives. */
  #name(metric: NameSpec | string | undefined): MetricName {
    if (typeof metric === 'object') {
      const made = this.#registry.metricName(metric);
      this.#names.set(metric.name, made);
      return made;
    }
    const known = this.#names.get(metric ?? '');
    if (known === undefined) throw new Error(`the row names no metric: ${metric}`);
    return known;
  }

  #state(): unknown {
    const metrics = [...this.#registry.metrics()];
    const count = metrics.find((metric) => metric.name.name === 'count');
    return {
      sensors: [...this.#registry.sensors()].map((sensor) => sensor.name).sort(),
      metrics: metrics.map((metric) => metric.name.toString()).sort(),
      countMetric: count?.value(),
    };
  }
}

function config(op: Op): ReturnType<typeof metricConfig> | undefined {
  return op.config === null || op.config === undefined ? undefined : metricConfig(op.config);
}

function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (error instanceof QuotaViolationError) {
      const { metricName, value, quota } = error;
      return { violation: { metric: metricName.name, value, bound: quota.bound } };
    }
    return { error: true };
  }
}

function makeStat(type: string | undefined): MeasurableStat {
  switch (type) {
    case 'Avg':
      return new Avg();
    case 'Max':
      return new Max();
    case 'Min':
      return new Min();
    case 'Value':
      return new Value();
    case 'Rate':
      return new Rate();
    case 'Rate/WindowedCount':
      return new Rate({ stat: new WindowedCount() });
    case 'SimpleRate':
      return new SimpleRate();
    case 'TokenBucket':
      return new TokenBucket();
    case 'CumulativeSum':
      return new CumulativeSum();
    case 'CumulativeCount':
      return new CumulativeCount();
    case 'WindowedSum':
      return new WindowedSum();
    case 'WindowedCount':
      return new WindowedCount();
    default:
      throw new Error(`the vectors name a stat that is not built: ${type}`);
  }
}
