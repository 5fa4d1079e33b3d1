import { RemoteStorageError } from '../errors.ts';
import { CIPHER_ADDED_BYTES } from '../transform/segment-cipher.ts';
import { evenChunkIndex } from './fixed-chunk-index.ts';
import type { IndexPlace, SegmentManifest } from './manifest.ts';

/**
 * Refuses manifests whose sizes cannot be what the transformation makes: bytes would be looked for
 * where they are not.
 *
 * @param key of the manifest's object, for the message
 * @throws RemoteStorageError `corrupt`
 */
export function assertConsistent(manifest: SegmentManifest, key: string): void {
  const problem = chunkProblem(manifest) ?? indexProblem(manifest);
  if (problem === undefined) return;
  throw new RemoteStorageError(
    'corrupt',
    `The manifest in ${JSON.stringify(key)} contradicts itself: ${problem}. Restore the object, or delete ` +
      'the segment',
    { key },
  );
}

function chunkProblem({
  chunkIndex,
  isCompressed,
  encryption,
}: SegmentManifest): string | undefined {
  if (isCompressed) return undefined;
  const addedBytes = encryption === undefined ? 0 : CIPHER_ADDED_BYTES;
  const expected = evenChunkIndex(chunkIndex, addedBytes);
  if (chunkIndex.type === 'variable') return 'its chunks vary in size, but are not compressed';
  const { transformedChunkSize, finalTransformedChunkSize, count } = chunkIndex;
  if (count === 0) return undefined;
  if (finalTransformedChunkSize === expected.finalTransformedChunkSize) {
    if (count === 1 || transformedChunkSize === expected.transformedChunkSize) return undefined;
  }
  return (
    `chunks of ${chunkIndex.originalChunkSize} bytes, ${encryption === undefined ? 'stored as they are' : 'encrypted'}, ` +
    `would have ${expected.transformedChunkSize} and at last ${expected.finalTransformedChunkSize}, not ` +
    `${transformedChunkSize} and ${finalTransformedChunkSize}`
  );
}

function indexProblem({ segmentIndexes, encryption }: SegmentManifest): string | undefined {
  const places = Object.entries(segmentIndexes)
    .filter((entry): entry is [string, IndexPlace] => entry[1] !== null)
    .sort(([, a], [, b]) => a.position - b.position || a.size - b.size);
  let end = 0;
  for (const [name, { position, size }] of places) {
    // They are written one behind the other. Nothing else tells one index from another.
    if (position !== end) return `the index ${name} begins at byte ${position}, not at ${end}`;
    end += size;
    if (encryption !== undefined && size > 0 && size < CIPHER_ADDED_BYTES) {
      return `the index ${name} is shorter than what encryption adds`;
    }
  }
  return undefined;
}
