import { RemoteStorageError } from '../errors.ts';
import { CIPHER_ADDED_BYTES } from '../transform/segment-cipher.ts';
import { evenChunkIndex } from './fixed-chunk-index.ts';
import type { SegmentManifest } from './manifest.ts';

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
  if (encryption === undefined) return undefined;
  const short = Object.entries(segmentIndexes).find(
    ([, place]) => place !== null && place.size > 0 && place.size < CIPHER_ADDED_BYTES,
  );
  return short && `the index ${short[0]} is shorter than what encryption adds`;
}
