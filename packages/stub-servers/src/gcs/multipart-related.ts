import type { StoredBytes } from '../storage/stored-bytes.ts';
import { GcsError } from './gcs-error.ts';

const MAX_BOUNDARY_CHARACTERS = 70;
const MAX_PART_HEADER_BYTES = 8 * 1024;
const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** The two parts of an upload in one request. */
export interface RelatedParts {
  /** The first part: the object's document, as text. */
  readonly document: string;
  /** The type that the second part states. */
  readonly contentType: string | undefined;
  /** The second part: a view of the body. */
  readonly content: StoredBytes;
}

/**
 * Splits a `multipart/related` body of a JSON document and a content, without copying the content.
 *
 * @param contentType the request's, which names the boundary
 * @param bytes the whole body
 * @throws GcsError `invalid` when the body is anything but two parts, whole to the closing boundary
 */
export function splitRelated(contentType: string | undefined, bytes: StoredBytes): RelatedParts {
  const boundary = readBoundary(contentType);
  const body = new ByteSearch(bytes);
  // The first boundary may open the body; all others follow a line break, which belongs to them.
  const delimiter = `\r\n--${boundary}`;
  const first = body.startsWith(`--${boundary}`, 0) ? -2 : body.find(delimiter, 0);
  if (first === -1) throw malformed('the boundary does not occur');
  const document = readPart(body, first + delimiter.length, delimiter);
  const content = readPart(body, document.end + delimiter.length, delimiter);
  if (!body.startsWith('--', content.end + delimiter.length)) {
    throw malformed('there are more than two parts');
  }
  if (document.end - document.start > MAX_DOCUMENT_BYTES) {
    throw malformed(`the document is longer than ${MAX_DOCUMENT_BYTES} bytes`);
  }
  if (content.headers.has('content-transfer-encoding')) {
    throw new GcsError('notImplemented', 'Content-Transfer-Encoding is not served here');
  }
  return {
    document: body.text(document.start, document.end),
    contentType: content.headers.get('content-type'),
    content: bytes.slice(content.start, content.end),
  };
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  /** Where the part's bytes start, behind its headers. */
  readonly start: number;
  /** Where the delimiter behind them starts. */
  readonly end: number;
}

/** @param at where the rest of the boundary's own line starts */
function readPart(body: ByteSearch, at: number, delimiter: string): Part {
  if (body.startsWith('--', at)) throw malformed('there are fewer than two parts');
  // The rest of the boundary's line, and a part without headers, end alike: by an empty line.
  const blank = body.find('\r\n\r\n', at);
  if (blank === -1 || blank - at > MAX_PART_HEADER_BYTES) throw malformed('a part has no headers');
  const start = blank + 4;
  const end = body.find(delimiter, start);
  if (end === -1) throw malformed('it ends within a part');
  return { headers: readHeaders(body.text(at, blank)), start, end };
}

function readHeaders(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0)
      headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

function readBoundary(contentType: string | undefined): string {
  const match = /^multipart\/related\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s";]+))/i.exec(
    contentType ?? '',
  );
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) {
    throw malformed('Content-Type is not multipart/related with a boundary');
  }
  if (boundary.length > MAX_BOUNDARY_CHARACTERS) {
    throw malformed(`the boundary is longer than ${MAX_BOUNDARY_CHARACTERS} characters`);
  }
  return boundary;
}

function malformed(what: string): GcsError {
  return new GcsError('invalid', `Malformed multipart body: ${what}.`);
}

/** Looks for short texts in bytes that are in pieces, also where one straddles pieces. */
class ByteSearch {
  readonly #bytes: StoredBytes;

  constructor(bytes: StoredBytes) {
    this.#bytes = bytes;
  }

  /** Where `text` occurs first at or after `from`, or -1. */
  find(text: string, from: number): number {
    const needle = Buffer.from(text, 'latin1');
    const seam = needle.length - 1;
    // The last bytes before the present piece: too few to hold the needle.
    let tail = Buffer.alloc(0);
    let at = 0;
    for (const piece of this.#bytes.pieces) {
      const start = at;
      at += piece.length;
      if (at <= from) continue;
      const bytes = piece.subarray(Math.max(from - start, 0));
      const across = Buffer.concat([tail, bytes.subarray(0, seam)]).indexOf(needle);
      if (across !== -1) return at - bytes.length - tail.length + across;
      const within = bytes.indexOf(needle);
      if (within !== -1) return at - bytes.length + within;
      tail = Buffer.concat([tail, bytes.subarray(-seam)]).subarray(-seam);
    }
    return -1;
  }

  startsWith(text: string, at: number): boolean {
    return this.text(at, at + text.length) === text;
  }

  /** The bytes from `start` to before `end` as UTF-8; fewer where the body ends. */
  text(start: number, end: number): string {
    return this.#bytes.slice(start, end).toBuffer().toString('utf8');
  }
}
