import { ReadableStream, TransformStream, type WritableStream } from 'node:stream/web';
import { paced } from './paced.ts';
import type { PacedOptions } from './paced-options.ts';

/** Two ends for `pipeThrough`. */
export interface PacedWebStream {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
}

/**
 * A pair of web streams that passes bytes on at a rate, in slices, each when the reader asks for
 * it: `source.pipeThrough(pacedWebStream({ pacer }))`.
 *
 * @throws the reason of the signal when it has aborted
 */
export function pacedWebStream(options: PacedOptions): PacedWebStream {
  options.signal?.throwIfAborted();
  const inner = new TransformStream<Uint8Array, Uint8Array>();
  return {
    writable: inner.writable,
    readable: ReadableStream.from(paced(inner.readable, options)),
  };
}
