import { LogOffsetOutOfRangeError } from '../errors.ts';
import type { LogSegment } from '../log-segment.ts';

/** Bytes from `start` to `end`, both inclusive; without an end to the last one. */
export interface SourceRange {
  readonly start: number;
  readonly end?: number | undefined;
}

/** Bytes of a fixed length that can be read more than once, from a file or from memory. */
export interface SegmentSource {
  /** Bytes in all; may be 0. */
  readonly size: number;
  /** The file, where there is one: another thread may read it by itself. */
  readonly path?: string | undefined;
  /**
   * Reads a range in pieces of at most 1 MiB. A piece is valid until the next one is asked for.
   *
   * @throws LogOffsetOutOfRangeError when the range is not within the size
   */
  read(
    range: SourceRange,
    options?: { readonly signal?: AbortSignal | undefined },
  ): AsyncIterable<Uint8Array>;
}

const PIECE_BYTES = 1024 * 1024;

/** The end (exclusive) of a range, checked. */
function endOf(range: SourceRange, size: number): number {
  const { start } = range;
  const end = Math.min(range.end ?? size - 1, size - 1) + 1;
  if (Number.isSafeInteger(start) && start >= 0 && start <= end) return end;
  throw new LogOffsetOutOfRangeError(
    `Bytes ${start} to ${range.end ?? 'the end'} are not within ${size} bytes`,
  );
}

/** A source over bytes in memory. */
export function bytesSource(bytes: Uint8Array, path?: string | undefined): SegmentSource {
  return {
    size: bytes.length,
    path,
    async *read(range, options = {}) {
      const end = endOf(range, bytes.length);
      for (let at = range.start; at < end; at += PIECE_BYTES) {
        options.signal?.throwIfAborted();
        yield bytes.subarray(at, Math.min(end, at + PIECE_BYTES));
      }
    },
  };
}

/** A source over a segment's log, which the caller holds in place. */
export function logSource(segment: LogSegment, path: string | undefined): SegmentSource {
  const { size } = segment;
  return {
    size,
    path,
    async *read(range, options = {}) {
      const end = endOf(range, size);
      const file = await segment.open();
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - range.start));
      for (let at = range.start; at < end; ) {
        options.signal?.throwIfAborted();
        const wanted = Math.min(piece.length, end - at);
        const read = await file.readAsync(piece, 0, wanted, at);
        if (read === 0) {
          throw new LogOffsetOutOfRangeError(`${file.path} ends at ${at}, before byte ${end}`);
        }
        at += read;
        yield piece.subarray(0, read);
      }
    },
  };
}
