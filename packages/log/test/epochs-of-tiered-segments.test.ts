import { seededRandom } from '@logloft/clock';
import { expect, it } from 'vitest';
import { testBatch } from './support/batches.ts';
import { openLog, settled } from './support/open-logs.ts';
import { SimulatedFileSystem } from './support/simulated-file-system.ts';

const TIERED = {
  segmentBytes: 300,
  remoteStorageEnable: true,
  localRetentionBytes: 1,
  fileDeleteDelayMs: 0,
} as const;

/**
 * The broker is killed, and killed again before anything is appended under its next epoch; in between
 * the segments of the first life are tiered and leave the disk. Without their epochs no look-up in the
 * remote tier finds them any more.
 */
it('the epochs of segments that are only remote survive kills between which nothing was appended', async () => {
  const random = seededRandom(1);
  const disk = new SimulatedFileSystem();
  const first = await openLog({ directory: '/logs', fileSystem: disk }, TIERED);
  for (let i = 0; i < 4; i += 1) {
    first.log.append(testBatch({ count: 3 }), { leaderEpoch: 5 });
    first.log.flushTurn();
  }
  expect(first.log.segmentCount).toBeGreaterThan(1);

  const afterOneKill = disk.crash('process', random);
  const second = await openLog({ directory: '/logs', fileSystem: afterOneKill }, TIERED);
  for (const segment of second.log.rolledSegments()) {
    const lease = await settled(segment.lease(), second.clock);
    lease.release();
    second.log.updateHighestOffsetInRemoteStorage(segment.nextOffset - 1);
  }
  await settled(second.manager.checkRetention(), second.clock);
  await settled(second.manager.checkRetention(), second.clock);
  expect(second.log.localLogStartOffset).toBeGreaterThan(0);

  const afterTwo = afterOneKill.crash('process', random);
  const third = await openLog({ directory: '/logs', fileSystem: afterTwo }, TIERED);
  expect(third.log.logStartOffset).toBe(0);
  expect(third.log.epochForOffset(0)).toBe(5);
});
