import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServiceAccountOptions } from '../gcs/index.ts';
import { UsageError } from './stub-options.ts';

/**
 * Reads a service account's key file, of which the stub needs the public half and the name.
 *
 * @throws UsageError when it cannot be read, or is no such file
 */
export async function readKeyFile(path: string): Promise<ServiceAccountOptions> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, unknown>>;
    const { client_email: clientEmail, private_key: privateKey } = file;
    if (typeof clientEmail !== 'string' || typeof privateKey !== 'string') {
      throw new TypeError('client_email or private_key is missing');
    }
    return { publicKey: createPublicKey(privateKey), clientEmail };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--service-account takes a key file, ${path} is none: ${reason}`);
  }
}
