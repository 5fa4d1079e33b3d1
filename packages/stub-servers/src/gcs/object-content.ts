import { createHash } from 'node:crypto';
import { crc32c, crcToBase64 } from '../checksums/crc32c.ts';
import type { StoredBytes } from '../storage/stored-bytes.ts';
import { GcsError } from './gcs-error.ts';

/** The bytes of an object with their checksums. */
export interface ObjectContent {
  readonly bytes: StoredBytes;
  /** Base64 of the CRC-32C, the highest byte first. */
  readonly crc32c: string;
  /** Base64. Composed objects have none. */
  readonly md5Hash: string | undefined;
}

/** Checksums that a client announced, in base64. */
export interface AnnouncedChecksums {
  readonly crc32c: string | undefined;
  readonly md5Hash: string | undefined;
}

/** Computes the checksums of `bytes`. */
export function objectContent(
  bytes: StoredBytes,
  options: { readonly composed?: boolean | undefined } = {},
): ObjectContent {
  const md5 = options.composed ? undefined : createHash('md5');
  let crc = 0;
  for (const piece of bytes.pieces) {
    crc = crc32c(piece, crc);
    md5?.update(piece);
  }
  return { bytes, crc32c: crcToBase64(crc), md5Hash: md5?.digest('base64') };
}

/** What an `x-goog-hash` header announces: `crc32c=…,md5=…`. */
export function readHashHeader(header: string | undefined): AnnouncedChecksums {
  const announced = new Map<string, string>();
  for (const part of (header ?? '').split(',')) {
    const equals = part.indexOf('=');
    if (equals > 0) announced.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return { crc32c: announced.get('crc32c'), md5Hash: announced.get('md5') };
}

/** @throws GcsError `invalid` when the content is not what was announced */
export function assertChecksums(content: ObjectContent, announced: AnnouncedChecksums): void {
  const kinds = [
    ['CRC32C', announced.crc32c, content.crc32c],
    ['MD5 hash', announced.md5Hash, content.md5Hash],
  ] as const;
  for (const [kind, provided, calculated] of kinds) {
    if (provided === undefined || calculated === undefined || provided === calculated) continue;
    throw new GcsError(
      'invalid',
      `Provided ${kind} "${provided}" doesn't match calculated ${kind} "${calculated}".`,
    );
  }
}
