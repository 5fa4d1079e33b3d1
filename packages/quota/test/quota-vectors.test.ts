import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { COPY_QUOTA_NAME, FETCH_QUOTA_NAME, WindowedQuota } from '@logloft/quota';
import { expect, test } from 'vitest';
import { decode, type Encoded, readVectors } from './read-vectors.ts';

type Row =
  | readonly ['record', bytes: number]
  | readonly ['advance', ms: number]
  | readonly ['updateQuota', bound: Encoded]
  | readonly ['check', throttle: Encoded, exceeded: boolean, rate: Encoded, windowMs: number]
  | readonly ['expireTask', alive: boolean];

interface Scenario {
  readonly name: string;
  readonly quotaType: 'RLMCopy' | 'RLMFetch';
  readonly t0: number;
  readonly config: {
    readonly quotaBytesPerSecond: Encoded;
    readonly numQuotaSamples: number;
    readonly quotaWindowSizeSeconds: number;
  };
  readonly ops: readonly Row[];
  readonly msAfterRecordUntilThrottleTimeIsZero?: number;
  readonly msAfterRecordUntilNotExceeded?: number;
}

interface Replayed {
  readonly clock: ManualClock;
  readonly metrics: MetricsRegistry;
  readonly quota: WindowedQuota;
}

test.each([
  ['copy-loop', 1_326],
  ['dynamic-update', 162],
  ['edge-cases', 2_091],
  ['huge-record-then-silence', 2_114],
  ['random', 5_145],
])('%s: a quota answers as the original in all %i rows', (file, rows) => {
  let replayed = 0;
  for (const scenario of readVectors<{ scenarios: readonly Scenario[] }>(file).scenarios) {
    const started = start(scenario);
    for (const [index, row] of scenario.ops.entries()) {
      run(started, scenario, row, `${scenario.name}, row ${index}: ${JSON.stringify(row)}`);
      replayed += 1;
    }
  }
  expect(replayed).toBe(rows);
});

test('after a huge record a quota is open again at the very ms at which the original is', () => {
  const { scenarios } = readVectors<{ scenarios: readonly Scenario[] }>('huge-record-then-silence');
  for (const scenario of scenarios) {
    const { name: of } = scenario;
    const throttled = justAfterTheHugeRecord(scenario);
    expectFirstMs(throttled.clock, () => throttled.quota.throttleTimeMs() === 0, {
      ms: scenario.msAfterRecordUntilThrottleTimeIsZero,
      of,
    });
    const exceeded = justAfterTheHugeRecord(scenario);
    expectFirstMs(exceeded.clock, () => !exceeded.quota.isExceeded(), {
      ms: scenario.msAfterRecordUntilNotExceeded,
      of,
    });
  }
  expect(scenarios.length).toBe(88);
});

/** The scenario up to and with its greatest record. */
function justAfterTheHugeRecord(scenario: Scenario): Replayed {
  const started = start(scenario);
  const huge = Math.max(...scenario.ops.flatMap((row) => (row[0] === 'record' ? [row[1]] : [])));
  for (const row of scenario.ops) {
    run(started, scenario, row, scenario.name);
    if (row[0] === 'record' && row[1] === huge) break;
  }
  return started;
}

/** Asks just before and at the ms at which the answer must become true. */
function expectFirstMs(
  clock: ManualClock,
  ask: () => boolean,
  wanted: { readonly ms: number | undefined; readonly of: string },
): void {
  const ms = wanted.ms ?? Number.NaN;
  if (ms > 0) {
    clock.advance(ms - 1);
    expect(ask(), `${wanted.of}, 1 ms before`).toBe(false);
    clock.advance(1);
  }
  expect(ask(), wanted.of).toBe(true);
}

function start(scenario: Scenario): Replayed {
  const { config } = scenario;
  const clock = new ManualClock({ startMs: scenario.t0 });
  const metrics = new MetricsRegistry({ clock });
  const quota = new WindowedQuota({
    clock,
    metrics,
    name: scenario.quotaType === 'RLMCopy' ? COPY_QUOTA_NAME : FETCH_QUOTA_NAME,
    limit: decode(config.quotaBytesPerSecond),
    samples: config.numQuotaSamples,
    windowSeconds: config.quotaWindowSizeSeconds,
  });
  return { clock, metrics, quota };
}

function run({ clock, metrics, quota }: Replayed, scenario: Scenario, row: Row, at: string): void {
  switch (row[0]) {
    case 'record':
      quota.record(row[1]);
      break;
    case 'advance':
      clock.advance(row[1]);
      break;
    case 'updateQuota':
      quota.updateLimit(decode(row[1]));
      break;
    case 'check': {
      const answers = [quota.throttleTimeMs(), quota.isExceeded(), quota.byteRate, quota.windowMs];
      expect(answers, at).toStrictEqual([decode(row[1]), row[2], decode(row[3]), row[4]]);
      break;
    }
    case 'expireTask':
      metrics.expireSensors();
      expect(metrics.getSensor(scenario.quotaType) !== undefined, at).toBe(row[1]);
      break;
  }
}
