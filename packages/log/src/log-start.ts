import { LogOffsetOutOfRangeError } from './errors.ts';
import type { LogState } from './log-state.ts';

/**
 * Moves the start of a log forward; never back.
 *
 * @returns the start of the log
 * @throws LogOffsetOutOfRangeError when `offset` is above the high watermark
 */
export function advanceLogStart(state: LogState, offset: number): number {
  if (!(offset <= state.highWatermark)) {
    throw new LogOffsetOutOfRangeError(
      `Records of ${state.name} can be deleted up to offset ${state.highWatermark}, not ${offset}`,
      { partition: state.name },
    );
  }
  if (offset > state.logStartOffset) {
    state.logStartOffset = offset;
    state.localLogStartOffset = Math.max(state.localLogStartOffset, offset);
    state.epochs.truncateFromStart(offset);
    state.notify('log-start');
  }
  return state.logStartOffset;
}
