import { Worker } from 'node:worker_threads';
import { SharedBufferPool } from '@logloft/bufferpool/shared';
import { systemClock } from '@logloft/clock';

const pool = SharedBufferPool.create(
  { totalBytes: 256 * 1024, poolableBytes: 16 * 1024 },
  { clock: systemClock },
);

for (let index = 0; index < 4; index += 1) {
  const seat = pool.seat();
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: seat });
  // However the worker ends, what it held comes back.
  worker.once('exit', async () => {
    const bytes = await pool.reclaim(seat.ownerId);
    console.log(`a worker has left ${bytes} bytes behind`);
  });
}
