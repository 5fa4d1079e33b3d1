import { describe, expect, it } from 'vitest';
import { testBatch } from '../support/batches.ts';
import { openLog, settled } from '../support/open-logs.ts';
import { SimulatedFileSystem } from '../support/simulated-file-system.ts';

describe('a look-up by time', () => {
  it('does not see what is written and not yet synced', async () => {
    const store = { directory: '/logs', fileSystem: new SimulatedFileSystem() };
    const { log, clock, manager } = await openLog(store, { flushMessages: 1 });
    await settled(log.append(testBatch({ timestamp: 10 }), { leaderEpoch: 1 }).written, clock);
    const late = log.append(testBatch({ timestamp: 20 }), { leaderEpoch: 1 });
    log.flushTurn();
    const lookups = [log.maxTimestampOffset(), log.offsetForTimestamp(15)];
    const ends = [log.maxTimestampOffset('log-end'), log.offsetForTimestamp(15, 'log-end')];
    expect(await Promise.all(lookups)).toEqual([
      { offset: 0, timestamp: 10, leaderEpoch: 1 },
      undefined,
    ]);
    const last = { offset: 1, timestamp: 20, leaderEpoch: 1 };
    expect(await Promise.all(ends)).toEqual([last, last]);
    await settled(late.written, clock);
    expect(await log.maxTimestampOffset()).toEqual(last);
    await settled(manager.close(), clock);
  });

  it('finds records in batches whose times go back, and none in an empty log', async () => {
    const { log, clock, manager } = await openLog({ memoryBytes: 1e6 }, { indexIntervalBytes: 0 });
    expect(await log.maxTimestampOffset()).toBeUndefined();
    expect(await log.offsetForTimestamp(0)).toBeUndefined();
    for (const timestamp of [50, 10, 70, 30, 70])
      log.append(testBatch({ timestamp }), { leaderEpoch: 1 });
    log.flushTurn();
    const offsets = await Promise.all([5, 50, 51, 70, 71].map((t) => log.offsetForTimestamp(t)));
    expect(offsets.map((found) => found?.offset)).toEqual([0, 0, 2, 2, undefined]);
    expect((await log.maxTimestampOffset())?.offset).toBe(2);
    await settled(manager.close(), clock);
  });

  it('passes over records before the start of the log', async () => {
    const { log, clock, manager } = await openLog({ memoryBytes: 1e6 });
    log.append(testBatch({ timestamp: 10, count: 5 }), { leaderEpoch: 1 });
    log.flushTurn();
    log.deleteRecordsBefore(3);
    expect(await log.offsetForTimestamp(11)).toMatchObject({ offset: 3, timestamp: 13 });
    await settled(manager.close(), clock);
  });
});
