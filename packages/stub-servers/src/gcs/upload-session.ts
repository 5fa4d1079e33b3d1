import { StoredBytes } from '../storage/stored-bytes.ts';
import type { UploadRange } from './content-range.ts';
import { GcsError } from './gcs-error.ts';
import type { AnnouncedChecksums } from './object-content.ts';
import type { ObjectSettings } from './object-settings.ts';
import type { Preconditions } from './preconditions.ts';

/** Pieces of a resumable upload are multiples of this, but for the last: 256 KiB. */
const UPLOAD_GRAIN_BYTES = 256 * 1024;

/** What a session was opened with. */
export interface UploadPlan {
  readonly bucket: string;
  readonly name: string;
  readonly settings: ObjectSettings;
  readonly checksums: AnnouncedChecksums;
  readonly preconditions: Preconditions;
  /** What `X-Upload-Content-Length` said. */
  readonly size: number | undefined;
}

/** The bytes of one PUT to a session, and whether they came whole. */
export interface UploadedPiece {
  readonly range: UploadRange;
  readonly bytes: StoredBytes;
  /** `false` when the connection broke before the body's end. */
  readonly whole: boolean;
}

/**
 * A resumable upload under way. It takes pieces in order, keeps what it has of one whose connection
 * broke in grains of 256 KiB, and ignores what it has already.
 */
export class UploadSession {
  readonly id: string;
  readonly plan: UploadPlan;
  readonly openedAtMs: number;
  #parts: StoredBytes[] = [];
  #receivedBytes = 0;
  #result: string | undefined;
  #cancelled = false;

  constructor(options: {
    readonly id: string;
    readonly plan: UploadPlan;
    readonly openedAtMs: number;
  }) {
    this.id = options.id;
    this.plan = options.plan;
    this.openedAtMs = options.openedAtMs;
  }

  /** Bytes that are kept, from the start of the object without a gap. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** What was received, in order. Empty once the object is made. */
  content(): StoredBytes {
    return StoredBytes.join(this.#parts);
  }

  /** The object's document as JSON, once it is made. */
  get result(): string | undefined {
    return this.#result;
  }

  /** Whether it was given up. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** The object is made: its bytes are its own from now on, and the session is left with its document. */
  finish(result: string): void {
    this.#result = result;
    this.#parts = [];
  }

  /** Gives it up, and the bytes with it. */
  cancel(): void {
    this.#cancelled = true;
    this.#parts = [];
    this.#receivedBytes = 0;
  }

  /**
   * Takes the bytes of a PUT; changes nothing when it throws.
   *
   * @returns whether the content is complete
   * @throws GcsError `backendError` when there would be a gap, `invalid` when length and announcement
   * differ or a piece that is not the last is no multiple of 256 KiB
   */
  append({ range, bytes, whole }: UploadedPiece): boolean {
    if (range.kind === 'query') return range.total === this.#receivedBytes;
    if (range.start > this.#receivedBytes) {
      throw new GcsError(
        'backendError',
        `Invalid request. According to the Content-Range header, the upload offset is ${range.start} ` +
          `byte(s), which exceeds already uploaded size of ${this.#receivedBytes} byte(s).`,
      );
    }
    if (!whole) {
      this.#keep(bytes, range.start, floorToGrain(range.start + bytes.size));
      return false;
    }
    this.#assertAnnounced(range, bytes.size);
    const end = range.start + bytes.size;
    const last = isLast(range, end);
    // Where the client did not say how much comes, the rest of a grain is simply not kept.
    const kept = last || range.end !== undefined ? end : floorToGrain(end);
    if (!last && kept % UPLOAD_GRAIN_BYTES !== 0) {
      throw new GcsError(
        'invalid',
        `Invalid request. The number of bytes uploaded is required to be equal or greater than ` +
          `${UPLOAD_GRAIN_BYTES}, except for the final request, and a multiple of it; got ${bytes.size}.`,
      );
    }
    if (last && end < this.#receivedBytes) {
      throw new GcsError(
        'invalid',
        `Invalid request. ${this.#receivedBytes} byte(s) are uploaded already, the object cannot end ` +
          `at ${end}.`,
      );
    }
    this.#keep(bytes, range.start, kept);
    return last;
  }

  #assertAnnounced(range: UploadRange & { readonly kind: 'bytes' }, bytes: number): void {
    const { start, end, total } = range;
    const announced = end === undefined ? undefined : end - start + 1;
    if (announced !== undefined && announced !== bytes) {
      throw new GcsError(
        'invalid',
        `Invalid request. There were ${bytes} byte(s) in the request body. There should have been ` +
          `${announced} byte(s) (starting at offset ${start} and ending at offset ${end}) according ` +
          'to the Content-Range header.',
      );
    }
    const size = this.plan.size;
    const tooLong = (total ?? size) !== undefined && start + bytes > (total ?? size ?? 0);
    const otherSize = total !== undefined && size !== undefined && total !== size;
    const tooShort = size !== undefined && isLast(range, start + bytes) && start + bytes !== size;
    if (tooLong || otherSize || tooShort) {
      throw new GcsError(
        'invalid',
        `Invalid request. The upload was announced with ${size ?? total} byte(s); this request would ` +
          `make it ${total ?? start + bytes}, or ${start + bytes} so far.`,
      );
    }
  }

  /** Keeps of `bytes`, which start at `start`, what lies between those kept so far and `end`. */
  #keep(bytes: StoredBytes, start: number, end: number): void {
    const from = this.#receivedBytes;
    if (end <= from) return;
    this.#parts.push(bytes.slice(from - start, end - start));
    this.#receivedBytes = end;
  }
}

/** Whether the bytes up to `end` are all there are; a client that names no size ends with its request. */
function isLast(range: UploadRange & { readonly kind: 'bytes' }, end: number): boolean {
  if (range.total !== undefined) return end === range.total;
  return range.end === undefined;
}

function floorToGrain(bytes: number): number {
  return bytes - (bytes % UPLOAD_GRAIN_BYTES);
}
