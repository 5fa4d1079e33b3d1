import { ManualClock } from '@logloft/clock';
import { LogManager } from '@logloft/log';
import { expect, test } from 'vitest';
import { LogView } from '../../src/tiering/log-view.ts';
import { Partition } from '../../src/topics/partition.ts';

const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAA';

test('a view that is retired raises nothing, and the next view of the same log does', async () => {
  const clock = new ManualClock();
  await using logs = await LogManager.open({ memoryBytes: 1e6 }, {}, { clock });
  const log = logs.create('cold', 0, TOPIC_ID, { remoteStorageEnable: true });
  const settings = {
    maxMessageBytes: 1e6,
    minInsyncReplicas: 1,
    timestampBeforeMaxMs: Number.POSITIVE_INFINITY,
    timestampAfterMaxMs: Number.POSITIVE_INFINITY,
    tiered: true,
    discardsRemoteData: false,
  };
  const partition = new Partition({
    topic: 'cold',
    topicId: TOPIC_ID,
    index: 0,
    log,
    leaderEpoch: 0,
    settings,
  });
  const view = new LogView(partition, () => Promise.resolve());
  view.updateHighestOffsetInRemoteStorage(3);
  view.retire();
  view.updateHighestOffsetInRemoteStorage(5);
  expect(view.highestOffsetInRemoteStorage).toBe(3);
  new LogView(partition, () => Promise.resolve()).updateHighestOffsetInRemoteStorage(4);
  expect(log.highestOffsetInRemoteStorage).toBe(4);
});
