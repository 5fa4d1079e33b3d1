import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { expect, it } from 'vitest';
import { silentLogger } from '../../src/logger.ts';
import { createMemoryPools } from '../../src/start/memory-pools.ts';

const MIB = 1024 * 1024;

it('says at the end which sizes were asked for, and of no pool that nobody used', async () => {
  const lines: unknown[] = [];
  const clock = new ManualClock();
  const pools = createMemoryPools(64 * MIB, {
    clock,
    metrics: new MetricsRegistry({ clock }),
    logger: { ...silentLogger, info: (_message, fields) => lines.push(fields) },
  });
  for (let n = 0; n < 4; n += 1) {
    const frame = pools.receive.tryTake(10_000);
    if (frame === undefined) throw new Error('there is memory for one frame');
    frame.release();
  }
  await pools[Symbol.asyncDispose]();
  expect(lines).toEqual([
    { pool: 'first', poolableBytes: 4096, suggestedPoolableBytes: 10_000, reusedShare: 0.75 },
  ]);
});
