import { createPublicKey, type KeyObject } from 'node:crypto';
import { RemoteStorageError } from '../errors.ts';
import { DATA_KEY_BYTES } from './segment-cipher.ts';

/** A pair of RSA keys that data keys are wrapped with; at least one of them is needed. */
export interface EncryptionKeyPair {
  /** What manifests call it; no colon in it. */
  readonly id: string;
  /** Default: what belongs to the private key. */
  readonly publicKey?: KeyObject | undefined;
  /** Without it segments can be written but not read. */
  readonly privateKey?: KeyObject | undefined;
  /** PEM file (SubjectPublicKeyInfo) of the public key, which `loadKeyFiles` reads. */
  readonly publicKeyFile?: string | undefined;
  /** PEM file (PKCS#8, not encrypted) of the private key, which `loadKeyFiles` reads. */
  readonly privateKeyFile?: string | undefined;
}

/** A pair whose public key is known. */
export interface UsableKeyPair {
  readonly id: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject | undefined;
}

// OAEP with a hash of 64 bytes takes 130 of the modulus; a data key has to fit into what is left.
const LEAST_MODULUS_BITS = (DATA_KEY_BYTES + 130) * 8;

/** @throws RemoteStorageError `invalid-configuration` for a pair that data keys cannot be wrapped with */
export function checkedKeyPair(pair: EncryptionKeyPair): UsableKeyPair {
  const { id, privateKey } = pair;
  if (id === '' || id.includes(':')) throw unusablePair(id, 'must have a name without a colon');
  if (privateKey !== undefined && privateKey.type !== 'private') {
    throw unusablePair(id, `has a ${privateKey.type} key for its private key`);
  }
  const publicKey = publicKeyOf(pair);
  if (privateKey !== undefined && !createPublicKey(privateKey).equals(publicKey)) {
    throw unusablePair(id, 'has a private key that does not belong to its public key');
  }
  return { id, privateKey, publicKey };
}

/** What is wrong with a pair, without a word of its keys. */
export function unusablePair(id: string, problem: string): RemoteStorageError {
  return new RemoteStorageError(
    'invalid-configuration',
    `The key pair ${JSON.stringify(id)} ${problem}`,
  );
}

function publicKeyOf(pair: EncryptionKeyPair): KeyObject {
  const { id, privateKey } = pair;
  const publicKey = pair.publicKey ?? (privateKey && createPublicKey(privateKey));
  if (publicKey === undefined) {
    const isNamed = pair.publicKeyFile !== undefined || pair.privateKeyFile !== undefined;
    throw unusablePair(
      id,
      isNamed ? 'has files that were not read; call loadKeyFiles' : 'has no key',
    );
  }
  const { type, asymmetricKeyType, asymmetricKeyDetails } = publicKey;
  if (type !== 'public') throw unusablePair(id, `has a ${type} key for its public key`);
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  if (asymmetricKeyType !== 'rsa' || bits < LEAST_MODULUS_BITS) {
    throw unusablePair(
      id,
      `is ${asymmetricKeyType} of ${bits} bits; RSA of 2048 bits or more is needed`,
    );
  }
  return publicKey;
}
