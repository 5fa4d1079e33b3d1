import { ManualClock } from '@logloft/clock';
import { LogManager } from '@logloft/log';
import { expect, test } from 'vitest';
import { findOffset } from '../../src/offsets/find-offset.ts';
import type { FoundOffset, RemoteOffsets } from '../../src/offsets/remote-offsets.ts';
import { Partition } from '../../src/topics/partition.ts';
import { batchOf } from '../support/requests.ts';

const CONFIG = { segmentBytes: 1500, remoteStorageEnable: true, localRetentionBytes: 1 };

test('what moves to the remote tier during a look-up by time is found there', async () => {
  const clock = new ManualClock();
  await using logs = await LogManager.open(
    { memoryBytes: 1_000_000 },
    { configOf: () => undefined },
    { clock },
  );
  const log = logs.create('t', 0, 'AAAAAAAAAAAAAAAAAAAAAQ', CONFIG);
  for (let offset = 0; offset < 5; offset += 1) {
    const batch = batchOf(['x'.repeat(1000)], { timestamps: [offset] });
    log.append(batch, { leaderEpoch: 0 });
  }
  log.flushTurn();
  // Segments of a tiered log stay until its leader epochs are stored.
  await log.flush();
  log.updateHighestOffsetInRemoteStorage(0);
  expect(log.applyRetention()).toBe(1);
  const partition = new Partition({
    topic: 't',
    topicId: log.topicId,
    index: 0,
    log,
    leaderEpoch: 0,
    settings: {
      maxMessageBytes: 10_000,
      minInsyncReplicas: 1,
      timestampBeforeMaxMs: Number.POSITIVE_INFINITY,
      timestampAfterMaxMs: Number.POSITIVE_INFINITY,
      tiered: true,
      discardsRemoteData: false,
    },
  });
  // Records have the time of their offset; the tier answers for what is below the local start.
  const tiered = async (offset: number): Promise<FoundOffset | undefined> => {
    const found =
      offset < log.localLogStartOffset ? { offset, timestamp: offset, leaderEpoch: 0 } : undefined;
    log.updateHighestOffsetInRemoteStorage(2);
    log.applyRetention();
    return found;
  };
  const remote: RemoteOffsets = {
    firstAtOrAfter: (_, timestamp) => tiered(timestamp),
    maxTimestamp: () => Promise.resolve(undefined),
    errorCodeOf: () => undefined,
  };
  const found = await findOffset(partition, 1, { limit: 'high-watermark', remote });
  expect(log.localLogStartOffset).toBe(3);
  expect(found.offset).toBe(1);
});
