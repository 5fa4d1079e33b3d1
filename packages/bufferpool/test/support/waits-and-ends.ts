import { BufferPool } from '@logloft/bufferpool';
import { RecordAccumulator } from '@logloft/bufferpool/accumulator';
import { systemClock } from '@logloft/clock';

// Waiters, timers and listeners of all kinds, none of which may keep the process alive.
const pool = new BufferPool({ totalBytes: 1000, poolableBytes: 100 }, { clock: systemClock });
const accumulator = new RecordAccumulator<string>(
  { estimatedBytes: ({ length }) => length },
  { pool, clock: systemClock },
);
await accumulator.append('p', 'lingers for ever, since nobody drains');
void accumulator.whenReady();
pool.tryAllocate(900);
const abort = new AbortController();
for (let i = 0; i < 100; i += 1) {
  pool.allocate(1, { signal: abort.signal }).catch(() => undefined);
  accumulator.append('q', 'waits', { signal: abort.signal }).catch(() => undefined);
}
if (process.argv[2] === 'close') await pool.close();
console.log(`${pool.stats().waiters} waiting`);
