import type { Checks } from '../harness/checks.ts';
import { type ActiveResources, activeResources } from './active-resources.ts';
import type { HeapReadings } from './heap-readings.ts';
import { turnOfEventLoop } from './run-operations.ts';
import type { SoakScene } from './soak-scene.ts';

/** The heap may be that much greater in the end: by chance more is on its way. */
const MAX_GROWTH_BYTES = 512 * 1024;
/** Pools hold more or less memory behind their buffers from one reading to the next. */
const MAX_BUFFER_GROWTH_BYTES = 512 * 1024;
/** Longer than any sensor lives without a record: those of quotas live longest, for an hour. */
const ALL_EXPIRED_MS = 2 * 3_600_000;
/** Each of these ways to end must have come up, or the soak has not soaked. */
const OUTCOMES = [
  'granted',
  'aborted',
  'LOGLOFT_POOL_EXHAUSTED',
  'LOGLOFT_POOL_TOO_MANY_WAITERS',
  'LOGLOFT_POOL_CLOSED',
  'LOGLOFT_QUOTA_TIMEOUT',
  'LOGLOFT_QUOTA_CLOSED',
];

/** What must hold when nothing is under way any more; `before` is from before anything was made. */
export async function checkRest(
  checks: Checks,
  scene: SoakScene,
  heap: HeapReadings,
  before: ActiveResources,
): Promise<void> {
  await checkWaits(checks, scene);
  await checkMemory(checks, scene);
  await checkHeap(checks, heap);
  await checkSensors(checks, scene);
  await checkTimers(checks, scene, before);
  await checks.check('no signal has a listener', () => {
    scene.findings.throwIfAny('signals');
    const { listeners, abortedCount } = scene.signals;
    if (listeners > 0) throw new Error(`${listeners} listeners are left on signals`);
    return `${abortedCount} signals were aborted`;
  });
  await checks.check('all is closed, and nothing is left of it', async () => {
    await scene.metrics.close();
    for (const workload of scene.workloads) await workload.close();
    await turnOfEventLoop();
    requireNone(scene.clock.pendingTimers, 'timers of the clock');
    requireNone(activeResources().ports - before.ports, 'message ports');
    const [, ...others] = [...scene.metrics.metrics()];
    if (others.length > 0) throw new Error(`metrics are left: ${others.map(({ name }) => name)}`);
  });
}

async function checkWaits(checks: Checks, { waits, findings }: SoakScene): Promise<void> {
  await checks.check(`${waits.started} waits ended, each once`, () => {
    findings.throwIfAny('waits');
    requireNone(waits.pending, 'waits');
    return waits.describe();
  });
  await checks.check('they ended in every way there is', () => {
    const missing = OUTCOMES.filter((outcome) => waits.count(outcome) === 0);
    if (missing.length > 0) throw new Error(`none ended by ${missing.join(', ')}`);
  });
}

async function checkMemory(checks: Checks, { workloads, findings }: SoakScene): Promise<void> {
  await checks.check('no memory had two holders, none was above its total', () => {
    findings.throwIfAny('memory');
  });
  await checks.check('all bytes are back', () => {
    for (const { name, outstandingBytes } of workloads) {
      requireNone(outstandingBytes, `bytes of ${name}`);
    }
  });
}

async function checkHeap(checks: Checks, heap: HeapReadings): Promise<void> {
  const title = 'the heap is flat: the least of the last third against that of the first';
  await checks.check(title, () => {
    const { heapGrowth, bufferGrowth } = heap;
    const figures = `${kib(heapGrowth)}, buffers ${kib(bufferGrowth)}`;
    if (heapGrowth > MAX_GROWTH_BYTES || bufferGrowth > MAX_BUFFER_GROWTH_BYTES) {
      throw new Error(`${figures}; it may be ${kib(MAX_GROWTH_BYTES)} each`);
    }
    return `${figures}; bound ${kib(MAX_GROWTH_BYTES)} each`;
  });
}

async function checkSensors(checks: Checks, { clock, metrics }: SoakScene): Promise<void> {
  await checks.check('no sensor outlives its expiry', () => {
    const waiting = [...metrics.sensors()].filter(({ canExpire }) => canExpire).length;
    clock.advance(ALL_EXPIRED_MS);
    const left = [...metrics.sensors()].filter(({ canExpire }) => canExpire);
    requireNone(left.length, 'sensors');
    return `the last ${waiting} went in the end`;
  });
}

async function checkTimers(
  checks: Checks,
  { clock }: SoakScene,
  before: ActiveResources,
): Promise<void> {
  await checks.check('no timer is left, of the clock or of the process', () => {
    requireNone(clock.pendingTimers, 'timers of the clock');
    requireNone(activeResources().timeouts - before.timeouts, 'timers of the process');
  });
}

function requireNone(count: number, what: string): void {
  if (count !== 0) throw new Error(`${count} ${what} are left`);
}

function kib(bytes: number): string {
  return `${bytes > 0 ? '+' : ''}${(bytes / 1024).toFixed(0)} KiB`;
}
