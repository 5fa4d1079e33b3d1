import type { HeapReadings } from './heap-readings.ts';
import type { SoakScene } from './soak-scene.ts';

/** Operations between two moves of the clock, after which promises go on. */
const BATCH = 64;
/** Ms that the clock moves at most after a batch. */
const MAX_ADVANCE_MS = 160;
/** Batches between two turns of the event loop, after which the accounts are looked at. */
const BATCHES_A_TURN = 64;
const READINGS = 30;
/** Until then code is compiled and tables grow to their size, so that the heap says nothing yet. */
const WARM_UP = 500_000;
const MAX_REST_TURNS = 4000;
const REST_ADVANCE_MS = 50;

/** Runs that many operations, chosen by chance, and reads the heap on the way. Returns how many ran. */
export async function runOperations(
  scene: SoakScene,
  heap: HeapReadings,
  operations: number,
): Promise<number> {
  const { clock, chance, workloads } = scene;
  let done = 0;
  let batches = 0;
  let nextReading = WARM_UP;
  while (done < operations) {
    const count = Math.min(BATCH, operations - done);
    for (let index = 0; index < count; index += 1) {
      workloads[chance.below(workloads.length)]?.step();
    }
    done += count;
    batches += 1;
    clock.advance(chance.below(MAX_ADVANCE_MS));
    // One for all: promises that were settled so far go on here.
    await undefined;
    if (batches % BATCHES_A_TURN === 0) await turnAndAudit(scene);
    if (done >= nextReading) {
      await turnAndAudit(scene);
      heap.read();
      nextReading += (operations - WARM_UP) / READINGS;
    }
  }
  return done;
}

/**
 * Starts nothing any more, ends what is held, and lets time pass until nobody waits and nothing is
 * out, without closing anything.
 *
 * @returns ms of the clock that it took
 * @throws Error after a while; what is left then is for other checks to tell
 */
export async function comeToRest(scene: SoakScene): Promise<number> {
  const { clock, waits, workloads } = scene;
  const startMs = clock.monotonic();
  for (let turn = 0; turn < MAX_REST_TURNS; turn += 1) {
    for (const workload of workloads) workload.giveBack();
    clock.advance(REST_ADVANCE_MS);
    await turnAndAudit(scene);
    const outstanding = workloads.some(({ outstandingBytes }) => outstandingBytes > 0);
    if (waits.pending === 0 && !outstanding) return clock.monotonic() - startMs;
  }
  throw new Error(`it did not within ${MAX_REST_TURNS * REST_ADVANCE_MS} ms of the clock`);
}

async function turnAndAudit({ workloads, signals }: SoakScene): Promise<void> {
  await turnOfEventLoop();
  for (const workload of workloads) workload.audit();
  signals.audit();
}

/** Lets all promises and callbacks run that are due. */
export function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
