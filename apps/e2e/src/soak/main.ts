import { parseArgs } from 'node:util';
import { systemRandom } from '@logloft/clock';
import { type CheckRun, runChecks } from '../harness/run-checks.ts';
import { activeResources } from './active-resources.ts';
import { HeapReadings } from './heap-readings.ts';
import { checkRest } from './rest-checks.ts';
import { comeToRest, runOperations } from './run-operations.ts';
import { openSoakScene } from './soak-scene.ts';

/** With fewer, the heap is read while it still warms up, and not every way to end a wait comes up. */
const MIN_OPERATIONS = 1_000_000;

const { values } = parseArgs({
  options: {
    /** Replays a run. */
    seed: { type: 'string' },
    operations: { type: 'string', default: '10000000' },
  },
});
const seed = values.seed === undefined ? systemRandom.nextUint32() : Number(values.seed);
const operations = Number(values.operations);
if (!Number.isSafeInteger(operations) || operations < MIN_OPERATIONS) {
  throw new Error(`--operations takes an integer from ${MIN_OPERATIONS}, got ${values.operations}`);
}

await runChecks('soak: bufferpool, quota and metrics under one clock', soak, {
  deadlineMs: 30 * 60 * 1000,
});

async function soak({ checks }: CheckRun): Promise<void> {
  checks.note(`seed ${seed}; to replay it: npm run -s soak -- --seed ${seed}`);
  const resources = activeResources();
  const scene = openSoakScene(seed);
  const heap = new HeapReadings();
  const ran = await checks.check(`${operations} operations run`, async () => {
    const done = await runOperations(scene, heap, operations);
    if (done !== operations) throw new Error(`only ${done} ran`);
    return `${(scene.clock.monotonic() / 3_600_000).toFixed(1)} simulated hours`;
  });
  for (const workload of scene.workloads) checks.note(workload.describe());
  checks.note(`heap after collections without code, MiB: ${heap.describe()}`);
  checks.note(`memory behind buffers then, MiB: ${heap.describeBuffers()}`);
  if (!ran) return;
  await checks.check('with nothing more to do it comes to rest by itself', async () => {
    const tookMs = await comeToRest(scene);
    return `${(tookMs / 1000).toFixed(0)} simulated seconds`;
  });
  await checkRest(checks, scene, heap, resources);
}
