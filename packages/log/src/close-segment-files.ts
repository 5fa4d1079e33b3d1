import type { LogState } from './log-state.ts';

/** Closes the files that nobody reads now, and the others as soon as they were read. */
export async function closeSegmentFiles({ segments, runtime, name }: LogState): Promise<void> {
  for (const segment of segments.all) {
    const closed = segment.retire().then(() => segment.closeFile());
    if (!segment.isInUse) await closed;
    else {
      closed.catch((error: unknown) => {
        runtime.logger.warn(`Closing a file of ${name} failed`, { error });
      });
    }
  }
}
