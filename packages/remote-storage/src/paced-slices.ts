import type { CallOptions, Pacer } from './call-options.ts';
import { RemoteStorageError } from './errors.ts';
import type { SegmentSource } from './log-segment-data.ts';
import { toRemoteStorageError } from './to-remote-storage-error.ts';

// The largest slice that a pacer is asked for at a time; see `Pacer`.
const SLICE_BYTES = 64 * 1024;

/**
 * Lets pieces through as a call's options want them: slices of at most 64 KiB, or smaller ones
 * where the pacer wants them, each after it admitted it, or whole pieces when there is none. A slice counts as progress when the next is asked
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
    let at = 0;
    while (at < piece.byteLength) {
      signal?.throwIfAborted();
      const slice = piece.subarray(at, at + sliceBytesOf(pacer, piece));
      at += slice.byteLength;
      if (pacer !== undefined) {
        await pacer.take(slice.byteLength, { signal });
        signal?.throwIfAborted();
      }
      yield slice;
      onProgress?.(slice.byteLength);
    }
  }
}

function sliceBytesOf(pacer: Pacer | undefined, piece: Uint8Array): number {
  if (pacer === undefined) return piece.byteLength;
  return Math.max(1, Math.min(SLICE_BYTES, Math.floor(pacer.sliceBytes ?? SLICE_BYTES)));
}

/**
 * All bytes of a source as {@link pacedSlices}, exactly as many as it promised (or at most as many,
 * where its size is a bound): for stores, whose objects must be whole.
 *
 * @throws RemoteStorageError `corrupt` when the source gives more or fewer bytes than its size, or is
 *   not there any more; whatever else it throws becomes a RemoteStorageError, too
 * @throws the reason of the signal when it aborts
 */
export async function* sourceSlices(
  source: SegmentSource,
  options: CallOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { signal } = options;
  signal?.throwIfAborted();
  const { size } = source;
  if (size === 0) return;
  let total = 0;
  try {
    const pieces = source.read({ start: 0, end: size - 1 }, { signal });
    for await (const slice of pacedSlices(pieces, options)) {
      total += slice.byteLength;
      if (total > size) throw wrongLength(size, total);
      yield slice;
    }
  } catch (error) {
    // Sources may wrap the reason of an abort, or fail because of it.
    signal?.throwIfAborted();
    throw sourceFailure(error);
  }
  // A reading that was broken off may look like the end of the source.
  signal?.throwIfAborted();
  if (total < size && !source.sizeIsBound) throw wrongLength(size, total);
}

// `not-found` is kept for the store: a lost source must not be taken for a lost object.
function sourceFailure(error: unknown): RemoteStorageError {
  const known = toRemoteStorageError(error, { action: 'Reading the source' });
  if (known.kind !== 'not-found') return known;
  return new RemoteStorageError('corrupt', known.message, { cause: error });
}

function wrongLength(promised: number, given: number): RemoteStorageError {
  return new RemoteStorageError(
    'corrupt',
    `The source promised ${promised} bytes and gave ${given}; nothing was stored`,
  );
}
