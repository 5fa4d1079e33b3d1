import type { ByteRange } from './byte-range.ts';
import type { CallOptions } from './call-options.ts';
import type { RemoteStorageCapabilities } from './capabilities.ts';
import type { IndexType, LogSegmentData } from './log-segment-data.ts';
import type { CustomMetadata, RemoteLogSegmentMetadata } from './segment-metadata.ts';

/**
 * The contract of a remote tier: it keeps segments, and knows nothing of leadership or retention.
 *
 * The caller promises that the catalogue durably holds the segment as COPY_SEGMENT_STARTED before a
 * copy begins, as COPY_SEGMENT_FINISHED only after it returned, and as DELETE_SEGMENT_STARTED before
 * a deletion begins. So a plugin never has to list its bucket.
 *
 * Every promise settles. Failures are {@link RemoteStorageError}s; their `retryable` says whether
 * the same call may succeed later.
 */
export interface RemoteStorageManager extends AsyncDisposable {
  readonly capabilities: RemoteStorageCapabilities;

  /**
   * Copies all parts of a segment, and returns when all of them are durable. Publishes atomically:
   * until it returns, a fetch of the segment says `not-found`. A copy that fails or is aborted
   * leaves nothing behind that a later `deleteLogSegmentData` would not remove. Idempotent: what
   * exists under the same id is overwritten.
   *
   * @returns what the plugin wants back in later calls, or nothing
   */
  copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options?: CallOptions,
  ): Promise<CustomMetadata | undefined>;

  /**
   * Reads a range of the log (both ends inclusive, the end cut to the last byte). Breaking off the
   * iteration ends the transfer and frees its connection. A piece is valid until the next is asked for.
   *
   * @throws RemoteStorageError `not-found`, or `bad-range` when the range starts beyond the end; both
   *   before the first piece
   */
  fetchLogSegment(
    segment: RemoteLogSegmentMetadata,
    range: ByteRange,
    options?: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>>;

  /**
   * Reads one small part whole.
   *
   * @throws RemoteStorageError `not-found`; for TRANSACTION that is how "there is none" is said
   */
  fetchIndex(
    segment: RemoteLogSegmentMetadata,
    type: IndexType,
    options?: CallOptions,
  ): Promise<Uint8Array>;

  /**
   * Removes every object of a segment, also those of a copy that failed half-way. Idempotent: what is
   * missing counts as removed. A deletion that was not complete rejects, and is tried again.
   */
  deleteLogSegmentData(segment: RemoteLogSegmentMetadata, options?: CallOptions): Promise<void>;
}
