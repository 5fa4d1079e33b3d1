import type { SegmentSource } from '../log-segment-data.ts';
import { sourceSlices } from '../paced-slices.ts';

/**
 * Reads a source into chunks of `chunkBytes`, the last as long as the rest is. Two buffers take turns:
 * a chunk stays as it is until the one after the next is asked for.
 *
 * @throws RemoteStorageError `corrupt` when the source gives more or fewer bytes than its size
 */
export async function* chunksOfSource(
  source: SegmentSource,
  options: { readonly chunkBytes: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Uint8Array, void, void> {
  const { signal } = options;
  const chunkBytes = Math.min(options.chunkBytes, source.size);
  let filling: Buffer | undefined;
  let filled = 0;
  let spare: Buffer | undefined;
  for await (const slice of sourceSlices(source, { signal })) {
    for (let at = 0; at < slice.byteLength; ) {
      filling ??= Buffer.allocUnsafeSlow(chunkBytes);
      const taken = Math.min(chunkBytes - filled, slice.byteLength - at);
      filling.set(slice.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < chunkBytes) continue;
      yield filling;
      [filling, spare] = [spare, filling];
      filled = 0;
    }
  }
  if (filling !== undefined && filled > 0) yield filling.subarray(0, filled);
}
