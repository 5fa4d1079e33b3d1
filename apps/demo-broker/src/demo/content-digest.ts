import { createHash } from 'node:crypto';

/**
 * The SHA-256 over the files of one partition, names and contents in their order. One is fed with the
 * files as they lie on disk, the other with the records that a consumer got; they agree only when each
 * byte came back, in order and once.
 */
export class ContentDigest {
  readonly #hash = createHash('sha256');

  /** Begins a file. */
  begin(name: string): void {
    // No name and no text has such a byte, so nothing can slip from one into the other unnoticed.
    this.#hash.update(`\0${name}\0`);
  }

  /** Adds the file, or the next piece of it. */
  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** The digest so far, in hexadecimal. */
  hex(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** One digest for all partitions. */
export function combinedHex(digests: readonly ContentDigest[]): string {
  const all = createHash('sha256');
  for (const digest of digests) all.update(digest.hex());
  return all.digest('hex');
}
