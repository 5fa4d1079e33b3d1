import type { PacedOptions } from './paced-options.ts';
import { StreamLeave } from './stream-leave.ts';

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
  const leave = new StreamLeave(options);
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.byteLength; ) {
        const bytes = await leave.take(chunk.byteLength - at, options.signal);
        yield bytes === chunk.byteLength ? chunk : chunk.subarray(at, at + bytes);
        at += bytes;
      }
    }
  } finally {
    await leave.close();
  }
}
