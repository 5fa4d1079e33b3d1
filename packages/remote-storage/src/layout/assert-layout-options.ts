import { RemoteStorageError } from '../errors.ts';
import type { LayoutOptions } from './layout-options.ts';
import { MAX_CHUNK_BYTES } from './log-cut.ts';

/**
 * Refuses numbers of bytes that nothing can be done with, before anything is made of them.
 *
 * @throws RemoteStorageError `invalid-configuration`
 */
export function assertLayoutOptions({ chunkBytes, uploadBytesPerSecond }: LayoutOptions): void {
  assertBytes('chunkBytes', chunkBytes, MAX_CHUNK_BYTES);
  assertBytes('uploadBytesPerSecond', uploadBytesPerSecond, Number.MAX_SAFE_INTEGER);
}

function assertBytes(name: string, bytes: number | undefined, max: number): void {
  if (bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 1 && bytes <= max)) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `${name} must be an integer from 1 to ${max}, got ${bytes}`,
  );
}
