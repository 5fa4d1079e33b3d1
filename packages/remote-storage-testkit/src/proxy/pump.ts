import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@logloft/clock';
import { pause } from './pause.ts';

/** How bytes get from one stream to another. */
export interface Flow {
  readonly clock: Clock;
  /** Ends the flow. */
  readonly signal: AbortSignal;
  /** Bytes after which the flow ends, where there are more. Default all. */
  readonly limitBytes?: number | undefined;
  /** Default as fast as both sides can. */
  readonly bytesPerSecond?: number | undefined;
  /** Told of bytes that were handed to the operating system. */
  readonly onBytes: (bytes: number) => void;
}

const MAX_SLICE_BYTES = 64 * 1024;
// A rate is kept in slices of a twentieth of a second, so that the flow is even.
const SLICES_PER_SECOND = 20;

/**
 * Moves bytes, and ends neither stream.
 *
 * @returns whether all bytes were moved, or the limit was reached with bytes left
 * @throws what either stream fails with, and the reason of the signal
 */
export async function pump(from: Readable, to: Writable, flow: Flow): Promise<'all' | 'limit'> {
  const { limitBytes = Number.POSITIVE_INFINITY, signal, onBytes } = flow;
  const wait = rateGate(flow);
  let left = limitBytes;
  const pieces: AsyncIterable<Uint8Array> = from.iterator({ destroyOnReturn: false });
  for await (const piece of pieces) {
    const allowed = piece.subarray(0, Math.min(left, piece.byteLength));
    left -= allowed.byteLength;
    for (const slice of slicesOf(allowed, flow.bytesPerSecond)) {
      await wait(slice.byteLength);
      await write(to, slice, signal);
      onBytes(slice.byteLength);
    }
    if (allowed.byteLength < piece.byteLength) return 'limit';
  }
  return 'all';
}

function* slicesOf(bytes: Uint8Array, bytesPerSecond: number | undefined): Iterable<Uint8Array> {
  const step =
    bytesPerSecond === undefined
      ? bytes.byteLength
      : Math.max(1, Math.min(MAX_SLICE_BYTES, Math.floor(bytesPerSecond / SLICES_PER_SECOND)));
  for (let at = 0; at < bytes.byteLength; at += step) yield bytes.subarray(at, at + step);
}

function rateGate({ clock, signal, bytesPerSecond }: Flow): (bytes: number) => Promise<void> {
  if (bytesPerSecond === undefined) return async () => undefined;
  let freeAtMs = clock.monotonic();
  return async (bytes) => {
    const now = clock.monotonic();
    freeAtMs = Math.max(freeAtMs, now) + (bytes * 1_000) / bytesPerSecond;
    await pause(clock, freeAtMs - now, signal);
  };
}

// Waits for the operating system to have the bytes: what is cut off afterwards is exactly the rest.
function write(to: Writable, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    to.write(bytes, (error) => {
      signal.removeEventListener('abort', onAbort);
      if (error) reject(error);
      else resolve();
    });
  });
}
