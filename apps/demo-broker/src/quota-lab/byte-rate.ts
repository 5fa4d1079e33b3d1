import { byteSizeOf } from '../command-line/byte-size.ts';
import { UsageError } from '../command-line/usage-error.ts';

/**
 * Reads bytes per second, such as `50MiB/s`; the `/s` may be left out.
 *
 * @param what the flag, for the message
 * @throws UsageError when it is none, or below 1 byte per second
 */
export function parseByteRate(text: string, what: string): number {
  const bytesPerSecond = byteSizeOf(text.replace(/\s*\/\s*s\s*$/i, ''));
  if (bytesPerSecond !== undefined) return bytesPerSecond;
  throw new UsageError(`${what} needs a rate such as 50MiB/s, got ${JSON.stringify(text)}.`);
}
