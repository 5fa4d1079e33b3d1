import type { RandomSource } from '@logloft/clock';
import type { SegmentEncryption } from '../layout/manifest.ts';
import type { KeyRing } from './key-ring.ts';
import { type ChunkEncryption, DATA_KEY_BYTES, IV_BYTES, SegmentCipher } from './segment-cipher.ts';

const AAD_BYTES = 32;

/** Encrypts chunks by their number, each time to the same bytes. */
export interface ChunkEncryptor {
  /** Where the chunk begins in the store; 12 bytes. */
  iv(index: number): Uint8Array;
  begin(index: number): ChunkEncryption;
}

/** What one copy of one segment is encrypted with: a data key of its own, under the active key pair. */
export class SegmentEncryptor {
  /** What the manifest says of it. */
  readonly encryption: SegmentEncryption;
  readonly #cipher: SegmentCipher;
  readonly #random: RandomSource;

  /**
   * @param random must be cryptographically strong, as that of the system is
   * @throws RemoteStorageError `invalid-configuration` when no key pair is active
   */
  constructor(keyRing: KeyRing, random: RandomSource) {
    this.#random = random;
    const dataKey = random.fill(new Uint8Array(DATA_KEY_BYTES));
    const aad = random.fill(new Uint8Array(AAD_BYTES));
    this.encryption = { dataKey: keyRing.wrap(dataKey), aad };
    this.#cipher = new SegmentCipher(dataKey, aad);
    dataKey.fill(0);
  }

  /**
   * @param count chunks. Their vectors are drawn now: a source that is read again, since sending it
   *   failed, must give the same bytes.
   */
  chunks(count: number): ChunkEncryptor {
    const ivs = this.#random.fill(new Uint8Array(count * IV_BYTES));
    const iv = (index: number): Uint8Array =>
      ivs.subarray(index * IV_BYTES, (index + 1) * IV_BYTES);
    return { iv, begin: (index) => this.#cipher.encrypt(iv(index)) };
  }
}
