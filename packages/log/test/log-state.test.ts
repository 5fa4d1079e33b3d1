import { describe, expect, it } from 'vitest';
import { testBatch } from './support/batches.ts';
import { openLog, settled } from './support/open-logs.ts';

describe('the listeners of a log', () => {
  it('are all called, though one of them throws, until they stop', async () => {
    const { log, clock, manager } = await openLog({ memoryBytes: 1e6 });
    const seen: string[] = [];
    log.subscribe(() => {
      throw new Error('a bad listener');
    });
    const stop = log.subscribe((change) => seen.push(change));
    log.append(testBatch(), { leaderEpoch: 1 });
    log.flushTurn();
    log.deleteRecordsBefore(1);
    stop();
    log.append(testBatch(), { leaderEpoch: 1 });
    log.flushTurn();
    expect(seen).toEqual(['append', 'log-start']);
    await settled(manager.close(), clock);
  });
});
