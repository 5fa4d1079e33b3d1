import type { CallOptions } from './call-options.ts';
import { RemoteStorageError } from './errors.ts';
import type { SegmentSource } from './log-segment-data.ts';

// The largest slice that a pacer is asked for at a time; see `Pacer`.
const SLICE_BYTES = 64 * 1024;

/**
 * Lets pieces through as a call's options want them: slices of at most 64 KiB, each after the pacer
 * admitted it, or whole pieces when there is none. A slice counts as progress when the next is asked
 * for, that is, when something was done with it.
 *
 * @throws the reason of the signal when it aborts between slices
 */
export async function* pacedSlices(
  pieces: AsyncIterable<Uint8Array>,
  options: CallOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { signal, pacer, onProgress } = options;
  for await (const piece of pieces) {
    const sliceBytes = pacer === undefined ? piece.byteLength : SLICE_BYTES;
    for (let at = 0; at < piece.byteLength; at += sliceBytes) {
      signal?.throwIfAborted();
      const slice = piece.subarray(at, at + sliceBytes);
      if (pacer !== undefined) {
        await pacer.take(slice.byteLength, { signal });
        signal?.throwIfAborted();
      }
      yield slice;
      onProgress?.(slice.byteLength);
    }
  }
}

/**
 * All bytes of a source as {@link pacedSlices}, exactly as many as it promised: for stores, whose
 * objects must be whole.
 *
 * @throws RemoteStorageError `corrupt` when the source gives more or fewer bytes than its size
 */
export async function* sourceSlices(
  source: SegmentSource,
  options: CallOptions,
): AsyncGenerator<Uint8Array, void, void> {
  options.signal?.throwIfAborted();
  const { size } = source;
  if (size === 0) return;
  const pieces = source.read({ start: 0, end: size - 1 }, { signal: options.signal });
  let total = 0;
  for await (const slice of pacedSlices(pieces, options)) {
    total += slice.byteLength;
    if (total > size) throw wrongLength(size, total);
    yield slice;
  }
  // A reading that was broken off may look like the end of the source.
  options.signal?.throwIfAborted();
  if (total < size) throw wrongLength(size, total);
}

function wrongLength(promised: number, given: number): RemoteStorageError {
  return new RemoteStorageError(
    'corrupt',
    `The source promised ${promised} bytes and gave ${given}; nothing was stored`,
  );
}
