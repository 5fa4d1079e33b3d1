import { parentPort, workerData } from 'node:worker_threads';
import { randomBelow, seededRandom, systemClock } from '@logloft/clock';
import { SharedBufferPool, type SharedPoolSeat } from '../../src/shared/index.ts';

/** What a worker of the stress test is to do. */
export interface PoolWorkerTask {
  readonly seat: SharedPoolSeat;
  readonly seed: number;
  readonly operations: number;
  readonly maxBytes: number;
  /** Whether it sleeps for its memory rather than awaiting it. */
  readonly sleeps: boolean;
  /** How many allocations it holds or awaits at one time; 1 when it sleeps. */
  readonly parallel: number;
  /** Counts the allocations of each worker, and raises its hand when all are there. */
  readonly progress: SharedArrayBuffer;
  readonly index: number;
}

const task: PoolWorkerTask = workerData;
const pool = SharedBufferPool.join(task.seat, { clock: systemClock });
const random = seededRandom(task.seed);
const progress = new Int32Array(task.progress);

/** Fills a buffer with the mark of this worker, and looks whether anybody else wrote into it. */
function use(buffer: Buffer, round: number): void {
  const mark = (task.index * 50 + (round % 50)) & 0xff;
  buffer.fill(mark);
  for (let spin = randomBelow(random, 200); spin > 0; spin -= 1) Atomics.load(progress, task.index);
  if (buffer.some((byte) => byte !== mark)) throw new Error(`two owners of one buffer: ${round}`);
  Atomics.add(progress, task.index, 1);
}

function anySize(): number {
  return randomBelow(random, task.maxBytes + 1);
}

async function runAwaiting(): Promise<void> {
  let round = 0;
  const line = async (): Promise<void> => {
    while (round < task.operations) {
      round += 1;
      const buffer = await pool.allocate(anySize());
      use(buffer, round);
      // It stays out over a turn of the event loop, so that others have to wait for it.
      if (round % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      pool.deallocate(buffer);
    }
  };
  await Promise.all(Array.from({ length: task.parallel }, line));
}

function runSleeping(): void {
  for (let round = 0; round < task.operations; round += 1) {
    const buffer = pool.allocateSync(anySize());
    use(buffer, round);
    pool.deallocate(buffer);
  }
}

if (task.sleeps) runSleeping();
else await runAwaiting();
await pool.close();
parentPort?.postMessage('done');
