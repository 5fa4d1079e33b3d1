import type { Pacer } from './call-options.ts';
import type { Watchdog } from './watchdog.ts';

/** A pacer whose waits do not count as silence: a quota may hold bytes back for as long as it likes. */
export function patientPacer(pacer: Pacer, watchdog: Watchdog): Pacer {
  return {
    get sliceBytes(): number | undefined {
      return pacer.sliceBytes;
    },
    take: (bytes, options) => watchdog.pausedFor(() => pacer.take(bytes, options)),
  };
}
