import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '@logloft/clock';
import { RemoteStorageError } from '../errors.ts';
import { freeBuffer } from './free-buffer.ts';

/** Bytes of a data key. */
export const DATA_KEY_BYTES = 32;
/** Bytes of an initialisation vector, which stands before the cipher text. */
export const IV_BYTES = 12;
/** Bytes by which encryption makes a chunk longer: vector and tag. */
export const CIPHER_ADDED_BYTES = 28;

const ALGORITHM = 'aes-256-gcm';
const TAG_BYTES = 16;

/**
 * Most bytes of one call into the cipher, which blocks the event loop: about 0.2 ms. It is also the
 * size of the pieces that files are read in.
 */
export const CIPHER_SLICE_BYTES: number = 256 * 1024;

/** A chunk being encrypted. */
export interface ChunkEncryption {
  /** @param plain at most {@link CIPHER_SLICE_BYTES} */
  update(plain: Uint8Array): Uint8Array;
  /** The tag, which ends the chunk. */
  end(): Uint8Array;
}

/**
 * AES-256-GCM with the data key of one segment: a chunk is stored as vector, cipher text, tag. The key
 * is held where neither a message nor a dump of the object shows it.
 */
export class SegmentCipher {
  readonly #key: KeyObject;
  readonly #aad: Uint8Array;

  /**
   * @param dataKey 32 bytes
   * @param aad authenticated with every chunk and index of the segment
   */
  constructor(dataKey: Uint8Array, aad: Uint8Array) {
    this.#key = createSecretKey(dataKey);
    this.#aad = aad;
  }

  /** @param iv 12 bytes that no other chunk or index of the segment is encrypted with */
  encrypt(iv: Uint8Array): ChunkEncryption {
    const cipher = createCipheriv(ALGORITHM, this.#key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#aad);
    return {
      update: (plain) => cipher.update(plain),
      end: () => Buffer.concat([cipher.final(), cipher.getAuthTag()]),
    };
  }

  /**
   * Undoes {@link SegmentCipher.encrypt}. Nothing is given out before the tag was found right.
   *
   * @param stored vector, cipher text, tag; must not change until the promise settles
   * @param clock by which everything else has its turn between two slices
   * @throws RemoteStorageError `corrupt` when any of the bytes is not what was written
   */
  async decrypt(stored: Uint8Array, clock: Clock): Promise<Uint8Array> {
    const length = stored.byteLength - CIPHER_ADDED_BYTES;
    if (length < 0) {
      throw new RemoteStorageError(
        'corrupt',
        `${stored.byteLength} bytes are less than what encryption adds; they were cut`,
      );
    }
    const iv = stored.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(this.#aad);
    decipher.setAuthTag(stored.subarray(IV_BYTES + length));
    const plain = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; at += CIPHER_SLICE_BYTES) {
      if (at > 0) await turnOf(clock);
      const end = Math.min(at + CIPHER_SLICE_BYTES, length);
      const slice = decipher.update(stored.subarray(IV_BYTES + at, IV_BYTES + end));
      plain.set(slice, at);
      freeBuffer(slice);
    }
    try {
      decipher.final();
    } catch (error) {
      plain.fill(0);
      throw new RemoteStorageError(
        'corrupt',
        'The authentication tag does not match: the stored bytes were altered, or the data key is another',
        { cause: error },
      );
    }
    return plain;
  }
}

function turnOf(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(0, resolve);
  });
}
