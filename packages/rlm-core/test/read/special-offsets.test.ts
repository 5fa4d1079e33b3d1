import { describe, expect, it } from 'vitest';
import {
  earliestLocalOffset,
  earliestOffset,
  earliestPendingUploadOffset,
  latestTieredOffset,
} from '../../src/index.ts';
import { ModelLog } from '../support/model-log.ts';

function logWith(config = {}): ModelLog {
  const log = new ModelLog(config);
  log.appendSegment(3);
  log.newEpoch();
  log.appendSegment(3);
  return log;
}

describe('the special offsets of ListOffsets', () => {
  it('before anything is tiered', () => {
    const log = logWith();
    expect(earliestOffset(log)).toEqual({ offset: 0, leaderEpoch: 0 });
    expect(earliestLocalOffset(log)).toEqual({ offset: 0, leaderEpoch: 0 });
    expect(latestTieredOffset(log)).toEqual({ offset: -1, leaderEpoch: -1 });
    expect(earliestPendingUploadOffset(log)).toEqual({ offset: 0, leaderEpoch: 0 });
  });

  it('when the first segment is tiered and gone locally', () => {
    const log = logWith();
    log.updateHighestOffsetInRemoteStorage(2);
    log.applyLocalRetention();
    expect(earliestOffset(log)).toEqual({ offset: 0, leaderEpoch: 0 });
    expect(earliestLocalOffset(log)).toEqual({ offset: 3, leaderEpoch: 1 });
    expect(latestTieredOffset(log)).toEqual({ offset: 2, leaderEpoch: 0 });
    expect(earliestPendingUploadOffset(log)).toEqual({ offset: 3, leaderEpoch: 1 });
  });

  it('while it is not known yet what is tiered', () => {
    const log = logWith();
    log.updateHighestOffsetInRemoteStorage(2);
    log.applyLocalRetention();
    log.restart();
    expect(earliestPendingUploadOffset(log)).toEqual({ offset: -1, leaderEpoch: -1 });
  });

  it('of a log start beyond what is tiered', async () => {
    const log = logWith();
    log.updateHighestOffsetInRemoteStorage(2);
    await log.advanceLogStartOffset(5);
    expect(earliestPendingUploadOffset(log)).toEqual({ offset: 5, leaderEpoch: 1 });
  });

  it('of a topic that is not tiered', () => {
    const log = logWith({ remoteStorageEnable: false });
    expect(latestTieredOffset(log).offset).toBe(-1);
    expect(earliestPendingUploadOffset(log).offset).toBe(-1);
  });
});
