import type { ObjectHead } from '../object-store.ts';
import type { RemoteLogSegmentId } from '../segment-metadata.ts';
import type { ParsedSegmentKey, SegmentObjectSuffix } from './segment-key.ts';

/** A segment as a listing shows it. */
export interface ListedSegment {
  readonly segmentId: RemoteLogSegmentId;
  readonly startOffset: number;
  /** Bytes of each object that is there. Without `rsm-manifest` the segment does not exist (any more). */
  readonly objectBytes: ReadonlyMap<SegmentObjectSuffix, number>;
}

/**
 * Gathers objects that follow one another into segments: keys in byte order keep the objects of a
 * segment together. Foreign objects are passed over.
 */
export async function* listSegments(
  heads: AsyncIterable<ObjectHead>,
  parse: (key: string) => ParsedSegmentKey | undefined,
): AsyncGenerator<ListedSegment, void, void> {
  let current:
    | { mainPath: string; segment: ListedSegment; bytes: Map<SegmentObjectSuffix, number> }
    | undefined;
  for await (const { key, size } of heads) {
    const parsed = parse(key);
    if (parsed === undefined) continue;
    const mainPath = key.slice(0, -(parsed.suffix.length + 1));
    if (current?.mainPath !== mainPath) {
      if (current !== undefined) yield current.segment;
      const bytes = new Map<SegmentObjectSuffix, number>();
      const { segmentId, startOffset } = parsed;
      current = { mainPath, bytes, segment: { segmentId, startOffset, objectBytes: bytes } };
    }
    current.bytes.set(parsed.suffix, size);
  }
  if (current !== undefined) yield current.segment;
}
