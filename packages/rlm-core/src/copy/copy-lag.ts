import type { LocalSegmentView } from '../partition-log-view.ts';

/** How much of a log waits for its copy. */
export interface CopyLagFigures {
  readonly bytes: number;
  readonly segments: number;
}

/**
 * What is rolled and not in the remote tier. The active segment does not count, so the lag of a log
 * with nothing else is 0 (KAFKA-16895); it is never negative.
 *
 * @param copiedOffset highest offset in the remote tier, inclusive; -1 for none
 */
export function copyLagOf(
  segments: readonly Pick<
    LocalSegmentView,
    'active' | 'baseOffset' | 'nextOffset' | 'sizeInBytes'
  >[],
  copiedOffset: number,
): CopyLagFigures {
  let bytes = 0;
  let count = 0;
  for (const segment of segments) {
    const empty = segment.nextOffset <= segment.baseOffset;
    if (segment.active || empty || segment.nextOffset - 1 <= copiedOffset) continue;
    bytes += segment.sizeInBytes;
    count += 1;
  }
  return { bytes, segments: count };
}
