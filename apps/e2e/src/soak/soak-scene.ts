import { BufferPool } from '@logloft/bufferpool';
import { SharedBufferPool } from '@logloft/bufferpool/shared';
import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { AbortSources } from './abort-sources.ts';
import { AccumulatorWorkload } from './accumulator-workload.ts';
import { Chance } from './chance.ts';
import { Findings } from './findings.ts';
import { ManagerWorkload } from './manager-workload.ts';
import { PoolWorkload } from './pool-workload.ts';
import { QuotaWorkload } from './quota-workload.ts';
import { SensorWorkload } from './sensor-workload.ts';
import { WaitLedger } from './wait-ledger.ts';
import type { SoakContext, Workload } from './workload.ts';

const TOTAL_BYTES = 128 * 1024;
const POOLABLE_BYTES = 4096;
const MAX_WAITERS = 16;
const EXPIRY_SWEEP_MS = 30_000;

/** The packages side by side under one clock. */
export interface SoakScene extends SoakContext {
  readonly workloads: readonly Workload[];
}

/** Makes everything that is soaked. */
export function openSoakScene(seed: number): SoakScene {
  const clock = new ManualClock();
  const chance = new Chance(seed);
  const findings = new Findings();
  const context: SoakContext = {
    clock,
    chance,
    findings,
    signals: new AbortSources(chance, findings),
    waits: new WaitLedger(findings),
    metrics: new MetricsRegistry({ clock, expirySweepMs: EXPIRY_SWEEP_MS }),
  };
  const workloads = [
    ...poolsUnder(context),
    new AccumulatorWorkload(context),
    new QuotaWorkload(context),
    new ManagerWorkload(context),
    new SensorWorkload(context),
  ];
  return { ...context, workloads };
}

function poolsUnder(context: SoakContext): readonly Workload[] {
  const { clock } = context;
  const options = {
    totalBytes: TOTAL_BYTES,
    poolableBytes: POOLABLE_BYTES,
    maxWaiters: MAX_WAITERS,
  };
  const strict = (): BufferPool =>
    new BufferPool(options, { clock, metrics: new MetricsRegistry({ clock }) });
  const classes = (): BufferPool =>
    new BufferPool({ ...options, sizeClasses: [512, 16_384] }, { clock });
  const kafka = (): BufferPool => new BufferPool({ ...options, semantics: 'kafka' }, { clock });
  const shared = (): SharedBufferPool => SharedBufferPool.create(options, { clock });
  return [
    new PoolWorkload('strict pool', context, { make: strict, countsPages: false }),
    new PoolWorkload('pool of classes', context, { make: classes, countsPages: false }),
    new PoolWorkload('kafka pool', context, { make: kafka, countsPages: false }),
    new PoolWorkload('shared pool', context, { make: shared, countsPages: true }),
  ];
}
