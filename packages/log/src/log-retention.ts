import type { LogState } from './log-state.ts';
import { localRetentionOf, planRetention, type RetentionPlan } from './retention.ts';

/** What retention would do with a log now, and why. */
export function planLogRetention(state: LogState): RetentionPlan {
  const segments = state.segments.all.map((segment, index) => ({
    baseOffset: segment.baseOffset,
    nextOffset: state.segments.nextOffset(index, state.logEndOffset),
    sizeInBytes: segment.size,
    maxTimestamp: segment.maxTimestamp,
    modifiedMs: segment.modifiedMs,
  }));
  return planRetention(
    {
      segments,
      nowMs: state.runtime.clock.now(),
      logStartOffset: state.logStartOffset,
      highWatermark: state.highWatermark,
      highestOffsetInRemoteStorage: state.highestOffsetInRemoteStorage,
    },
    localRetentionOf(state.config),
  );
}

/** Takes the `count` oldest segments out of a log; their files go later. */
export function removeFirstSegments(state: LogState, count: number): void {
  const next = state.segments.nextOffset(count - 1, state.logEndOffset);
  // The start moves before the segments go: nobody may look for what is no longer there.
  state.localLogStartOffset = Math.max(state.localLogStartOffset, next);
  // Where the topic's own limits counted, all that is older has exceeded them, too, also remotely.
  if (!localRetentionOf(state.config).onlyUploaded && next > state.logStartOffset) {
    state.logStartOffset = next;
    state.epochs.truncateFromStart(next);
  }
  const removed = state.segments.removeFirst(count);
  state.runtime.disposal.dispose(removed, state.config.fileDeleteDelayMs);
  state.notify('log-start');
}
