import { GcsError } from './gcs-error.ts';

/** What the `Content-Range` of a piece of a resumable upload says. */
export type UploadRange =
  /** A star instead of positions: no bytes come, the client asks how far the server got. */
  | { readonly kind: 'query'; readonly total: number | undefined }
  /** Bytes from `start` on. `end` (inclusive) and `total` are `undefined` where the client does not know. */
  | {
      readonly kind: 'bytes';
      readonly start: number;
      readonly end: number | undefined;
      readonly total: number | undefined;
    };

// The Node client announces an empty object in chunks as `0--1/0`; the end is inclusive.
const PATTERN = /^bytes (?:\*|(\d{1,15})-(\d{1,15}|\*|-1))\/(\d{1,15}|\*)$/;

/**
 * Reads the header of a PUT to an upload session; without one, the whole content comes.
 *
 * @throws GcsError `invalid` when it is malformed or contradicts itself
 */
export function readUploadRange(header: string | undefined): UploadRange {
  if (header === undefined) return { kind: 'bytes', start: 0, end: undefined, total: undefined };
  const match = PATTERN.exec(header.trim());
  if (match === null) throw new GcsError('invalid', 'Failed to parse Content-Range header.');
  const [, first, last, whole] = match;
  const total = whole === undefined || whole === '*' ? undefined : Number(whole);
  if (first === undefined) return { kind: 'query', total };
  const start = Number(first);
  const end = last === undefined || last === '*' ? undefined : Number(last);
  const backwards = end !== undefined && end < start - 1;
  const beyond = total !== undefined && Math.max(start, (end ?? -1) + 1) > total;
  if (backwards || beyond) {
    throw new GcsError('invalid', `Invalid Content-Range ${JSON.stringify(header)}`);
  }
  return { kind: 'bytes', start, end, total };
}
