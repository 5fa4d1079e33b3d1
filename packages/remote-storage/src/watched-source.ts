import type { SegmentSource } from './log-segment-data.ts';
import type { Watchdog } from './watchdog.ts';

/** A source that tells the watchdog when it is read: a store that reports no progress shows it so. */
export function watchedSource(source: SegmentSource, watchdog: Watchdog): SegmentSource {
  return {
    size: source.size,
    sizeIsBound: source.sizeIsBound,
    path: source.path,
    async *read(range, options): AsyncGenerator<Uint8Array, void, void> {
      for await (const piece of source.read(range, options)) {
        watchdog.touch();
        yield piece;
      }
    },
  };
}
