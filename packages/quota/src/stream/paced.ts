import { type PacedOptions, streamSliceBytes } from './paced-options.ts';

/**
 * Passes chunks on at a rate, cut into slices that are views of them. The source is asked for more
 * only when the reader wants it, and its length need not be known. Without a limit chunks pass as
 * they are.
 *
 * When the reader stops early the source is closed, as by any `for await`.
 *
 * @throws InvalidQuotaOptionError when an option is out of range
 * @throws QuotaClosedError when the pacer closes
 * @throws the reason of the signal when it aborts while waiting for leave
 */
export async function* paced(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: PacedOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { limit, priority, weight, signal } = options;
  const pacer = options.pacer.child({ limit, priority, weight });
  try {
    for await (const chunk of source) {
      // The size of a slice is asked for each time, since the limit may change under way.
      for (let at = 0; at < chunk.byteLength; ) {
        const end = Math.min(at + streamSliceBytes(pacer), chunk.byteLength);
        await pacer.take(end - at, { signal });
        yield end - at === chunk.byteLength ? chunk : chunk.subarray(at, end);
        at = end;
      }
    }
  } finally {
    await pacer.close();
  }
}
