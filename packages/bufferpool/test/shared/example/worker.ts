import { workerData } from 'node:worker_threads';
import { SharedBufferPool } from '@logloft/bufferpool/shared';
import { systemClock } from '@logloft/clock';

const pool = SharedBufferPool.join(workerData, { clock: systemClock });
const buffer = await pool.allocate(100_000, { maxBlockMs: 5_000 });
try {
  buffer.write('hello');
} finally {
  pool.deallocate(buffer);
}
await pool.close();
