import { BufferPool } from '@logloft/bufferpool';
import { systemClock } from '@logloft/clock';

const pool = new BufferPool(
  { totalBytes: 64 * 1024, poolableBytes: 16 * 1024 },
  { clock: systemClock },
);

async function send(chunk: string): Promise<void> {
  const buffer = await pool.allocate(16 * 1024, { maxBlockMs: 5_000 });
  try {
    const length = buffer.write(chunk);
    await writeSomewhere(buffer.subarray(0, length));
  } finally {
    pool.deallocate(buffer);
  }
}

async function writeSomewhere(_bytes: Uint8Array): Promise<void> {}

// A hundred at once, in memory for four: the others wait their turn.
await Promise.all(Array.from({ length: 100 }, (_, index) => send(`chunk ${index}`)));

const { createdBuffers, reusedShare } = pool.stats();
console.log(`${createdBuffers} buffers served 100 chunks, ${reusedShare * 100} % reused`);
await pool.close();
