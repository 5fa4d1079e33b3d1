import { expect, it } from 'vitest';
import { testBatch } from './support/batches.ts';
import { openLog, settled } from './support/open-logs.ts';
import { SimulatedFileSystem } from './support/simulated-file-system.ts';

const LOG_STARTS = '/logs/log-start-offset-checkpoint';

it('who asks for a checkpoint while others wait shares it, and finds in it what was so when it asked', async () => {
  const fs = new SimulatedFileSystem();
  const { log, clock, manager } = await openLog({ directory: '/logs', fileSystem: fs });
  for (let offset = 0; offset < 40; offset += 1) log.append(testBatch(), { leaderEpoch: 1 });
  log.flushTurn();
  const before = fs.calls.get('rename') ?? 0;
  const checks: Promise<void>[] = [];
  for (let offset = 1; offset <= 40; offset += 1) {
    log.deleteRecordsBefore(offset);
    const check = manager.checkpoint().then(() => {
      const [, , entry = ''] = fs.contentOf(LOG_STARTS).toString().split('\n');
      expect(Number(entry.split(' ')[2])).toBeGreaterThanOrEqual(offset);
    });
    checks.push(check);
    if (offset === 20) await settled(checks[0] ?? check, clock);
  }
  await settled(Promise.all(checks), clock);
  expect((fs.calls.get('rename') ?? 0) - before).toBeLessThanOrEqual(8);
  await settled(manager.close(), clock);
});
