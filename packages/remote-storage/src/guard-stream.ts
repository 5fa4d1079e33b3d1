import { ReleasingStream } from './releasing-stream.ts';
import type { Watchdog } from './watchdog.ts';

/**
 * A stream whose every value comes before the watchdog's patience (`idleMs`) is over, counted from
 * when the value is asked for: what the reader does meanwhile is free. However it ends, the source's
 * `return` is called and the watchdog closed, and nobody waits for a source that does not answer.
 *
 * @param failure makes the error to throw of what the source threw; default: as it is
 */
export function guardStream<T>(
  source: AsyncIterable<T>,
  watchdog: Watchdog,
  failure: (thrown: unknown) => unknown = (thrown) => thrown,
): ReleasingStream<T> {
  const inner = source[Symbol.asyncIterator]();
  let over = false;
  return new ReleasingStream<T>({
    signal: watchdog.signal,
    next: async () => {
      const result = await watchdog
        .run(() => inner.next())
        .catch((thrown: unknown) => {
          throw watchdog.signal.aborted ? thrown : failure(thrown);
        });
      if (!result.done) return result;
      over = true;
      return { done: true, value: undefined };
    },
    release: async () => {
      try {
        if (!over) await end(inner, watchdog);
      } finally {
        watchdog.close();
      }
    },
  });
}

// A source that was given up may never answer; then its end is its own affair.
async function end(inner: AsyncIterator<unknown>, watchdog: Watchdog): Promise<void> {
  const ended = async (): Promise<unknown> => await inner.return?.();
  if (watchdog.signal.aborted) void ended().catch(() => undefined);
  else await watchdog.run(ended).catch(() => undefined);
}
