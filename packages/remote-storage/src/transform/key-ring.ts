import { constants, type KeyObject, privateDecrypt, publicEncrypt } from 'node:crypto';
import { RemoteStorageError } from '../errors.ts';
import {
  checkedKeyPair,
  type EncryptionKeyPair,
  type UsableKeyPair,
  unusablePair,
} from './key-pair.ts';
import { DATA_KEY_BYTES } from './segment-cipher.ts';

/** Which keys there are. */
export interface KeyRingOptions {
  readonly keyPairs: readonly EncryptionKeyPair[];
  /** The pair that new segments are encrypted with. Default none: segments are read only. */
  readonly activeKeyPairId?: string | undefined;
}

const PADDING = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha3-512' } as const;

/**
 * Wraps the data keys of segments with RSA (OAEP, SHA3-512), and unwraps them with whichever pair a
 * manifest names: pairs that are no longer active stay readable for as long as they are on the ring.
 */
export class KeyRing {
  readonly activeKeyPairId: string | undefined;
  readonly #pairs = new Map<string, UsableKeyPair>();

  /** @throws RemoteStorageError `invalid-configuration` for pairs that cannot be used */
  constructor(options: KeyRingOptions) {
    const { keyPairs, activeKeyPairId } = options;
    for (const pair of keyPairs) {
      if (this.#pairs.has(pair.id)) throw unusablePair(pair.id, 'is there twice');
      this.#pairs.set(pair.id, checkedKeyPair(pair));
    }
    if (activeKeyPairId !== undefined && !this.#pairs.has(activeKeyPairId)) {
      throw unusablePair(activeKeyPairId, 'is to be the active one, but is not on the ring');
    }
    this.activeKeyPairId = activeKeyPairId;
  }

  /**
   * @param dataKey 32 bytes
   * @returns `<id of the active pair>:<base64>`
   * @throws RemoteStorageError `invalid-configuration` when no pair is active
   */
  wrap(dataKey: Uint8Array): string {
    const id = this.activeKeyPairId;
    const pair = id === undefined ? undefined : this.#pairs.get(id);
    if (pair === undefined) {
      throw new RemoteStorageError(
        'invalid-configuration',
        'No key pair is active; set encryption.key.pair.id',
      );
    }
    return `${pair.id}:${publicEncrypt({ ...PADDING, key: pair.publicKey }, dataKey).toString('base64')}`;
  }

  /**
   * @param wrapped as {@link KeyRing.wrap} gave it
   * @param key of the manifest's object, for the message
   * @throws RemoteStorageError `invalid-configuration` when the pair or its private key is not on the
   *   ring, `denied` when it does not open the data key, `corrupt` when `wrapped` has another form
   */
  unwrap(wrapped: string, key: string): Uint8Array {
    const { id, bytes } = parseWrapped(wrapped, key);
    const privateKey = this.#privateKeyOf(id, key);
    let dataKey: Uint8Array;
    try {
      dataKey = privateDecrypt({ ...PADDING, key: privateKey }, bytes);
    } catch (error) {
      throw new RemoteStorageError(
        'denied',
        `The key pair ${JSON.stringify(id)} does not open the data key in ${JSON.stringify(key)}: it is ` +
          'not the pair of that name which the segment was written with, or the manifest was altered',
        { cause: error, key },
      );
    }
    if (dataKey.byteLength === DATA_KEY_BYTES) return dataKey;
    throw new RemoteStorageError(
      'corrupt',
      `The data key in ${JSON.stringify(key)} has ${dataKey.byteLength} bytes, not ${DATA_KEY_BYTES}`,
      { key },
    );
  }

  /** Id of the pair that a data key is wrapped with; `undefined` when it has no such form. */
  static keyPairIdOf(wrapped: string): string | undefined {
    const at = wrapped.indexOf(':');
    return at > 0 && wrapped.indexOf(':', at + 1) < 0 ? wrapped.slice(0, at) : undefined;
  }

  #privateKeyOf(id: string, key: string): KeyObject {
    const name = JSON.stringify(id);
    const pair = this.#pairs.get(id);
    if (pair?.privateKey !== undefined) return pair.privateKey;
    const remedy =
      pair === undefined
        ? `which is not configured; add ${name} to encryption.key.pairs, with its key files`
        : `whose private key is not configured; set encryption.key.pairs.${id}.private.key.file`;
    throw new RemoteStorageError(
      'invalid-configuration',
      `The segment of ${JSON.stringify(key)} is encrypted under the key pair ${name}, ${remedy}`,
      { key },
    );
  }
}

function parseWrapped(
  wrapped: string,
  key: string,
): { readonly id: string; readonly bytes: Buffer } {
  const id = KeyRing.keyPairIdOf(wrapped);
  if (id !== undefined) {
    const text = wrapped.slice(id.length + 1);
    const bytes = Buffer.from(text, 'base64');
    if (bytes.byteLength > 0 && bytes.toString('base64') === text) return { id, bytes };
  }
  throw new RemoteStorageError(
    'corrupt',
    `The data key in ${JSON.stringify(key)} is not "<id of the key pair>:<base64>"; the manifest was altered`,
    { key },
  );
}
