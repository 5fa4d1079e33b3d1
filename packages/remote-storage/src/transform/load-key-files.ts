import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import { RemoteStorageError } from '../errors.ts';
import type { EncryptionKeyPair } from './key-pair.ts';

// The PEM text of a key of 16,384 bits has less than 14 KiB.
const MAX_FILE_BYTES = 64 * 1024;

/** What holds key pairs, whose files may not have been read yet. */
export interface HasKeyPairs {
  readonly encryption?: { readonly keyPairs: readonly EncryptionKeyPair[] } | undefined;
}

/**
 * Reads the PEM files that key pairs name, so that their keys are there. What was given as a key stays
 * as it is.
 *
 * @throws RemoteStorageError `invalid-configuration` that names option and path for a file that cannot be
 *   read or is no such key
 */
export async function loadKeyFiles<T extends HasKeyPairs>(options: T): Promise<T> {
  const { encryption } = options;
  if (encryption === undefined) return options;
  const keyPairs = await Promise.all(encryption.keyPairs.map(loadPair));
  return { ...options, encryption: { ...encryption, keyPairs } };
}

async function loadPair(pair: EncryptionKeyPair): Promise<EncryptionKeyPair> {
  const { id, publicKeyFile, privateKeyFile } = pair;
  const [publicKey, privateKey] = await Promise.all([
    pair.publicKey ?? loadKey(publicKeyFile, { id, kind: 'public', parse: createPublicKey }),
    pair.privateKey ?? loadKey(privateKeyFile, { id, kind: 'private', parse: createPrivateKey }),
  ]);
  return { ...pair, publicKey, privateKey };
}

interface WantedKey {
  readonly id: string;
  readonly kind: 'public' | 'private';
  readonly parse: (pem: Buffer) => KeyObject;
}

async function loadKey(
  path: string | undefined,
  { id, kind, parse }: WantedKey,
): Promise<KeyObject | undefined> {
  if (path === undefined) return undefined;
  const option = `Option "encryption.key.pairs.${id}.${kind}.key.file"`;
  const pem = await readPem(path).catch((error: unknown) => {
    throw new RemoteStorageError(
      'invalid-configuration',
      `${option}: the file ${JSON.stringify(path)} cannot be read (${codeOf(error)})`,
      { cause: error },
    );
  });
  try {
    return parse(pem);
  } catch (error) {
    const form = kind === 'public' ? 'SubjectPublicKeyInfo' : 'PKCS#8, not encrypted';
    throw new RemoteStorageError(
      'invalid-configuration',
      `${option}: the file ${JSON.stringify(path)} holds no ${kind} key in PEM form (${form})`,
      { cause: error },
    );
  } finally {
    pem.fill(0);
  }
}

async function readPem(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, filled, buffer.byteLength - filled, null);
      if (bytesRead === 0) return buffer.subarray(0, filled);
      filled += bytesRead;
    }
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
