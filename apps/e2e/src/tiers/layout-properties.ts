import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MODULUS_BITS = 2048;

/** Chunks small enough that a segment of these checks has several. */
const CHUNK_BYTES = 96 * 1024;

/**
 * Properties that turn compression and encryption on, with a fresh pair of keys of that name in files.
 *
 * @returns the properties without `rsm.config.`'s store
 */
export async function sealedLayout(
  directory: string,
  keyName: string,
): Promise<Readonly<Record<string, string>>> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const publicFile = join(directory, `${keyName}.public.pem`);
  const privateFile = join(directory, `${keyName}.private.pem`);
  await writeFile(publicFile, publicKey);
  await writeFile(privateFile, privateKey, { mode: 0o600 });
  return {
    'rsm.config.chunk.size': String(CHUNK_BYTES),
    'rsm.config.compression.enabled': 'true',
    'rsm.config.encryption.enabled': 'true',
    'rsm.config.encryption.key.pair.id': keyName,
    'rsm.config.encryption.key.pairs': keyName,
    [`rsm.config.encryption.key.pairs.${keyName}.public.key.file`]: publicFile,
    [`rsm.config.encryption.key.pairs.${keyName}.private.key.file`]: privateFile,
  };
}
