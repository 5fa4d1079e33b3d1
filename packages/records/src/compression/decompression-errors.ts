import type { CompressionName } from '../constants.ts';
import { CorruptBatchError, DecompressionLimitError } from '../errors.ts';

/** The error for data that would become larger than `maxBytes`. */
export function exceedsLimit(name: CompressionName, maxBytes: number): DecompressionLimitError {
  return new DecompressionLimitError(
    maxBytes,
    `Expected ${name} data of at most ${maxBytes} bytes decompressed, found more; raise the limit if that is in order`,
  );
}

/** The error for data that is not what it should be. */
export function malformed(
  name: CompressionName,
  found: string,
  options?: ErrorOptions,
): CorruptBatchError {
  return new CorruptBatchError('compressed-data', `Expected ${name} data, found ${found}`, options);
}

/** What an error of `node:zlib` means. */
export function fromZlib(name: CompressionName, maxBytes: number, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ERR_BUFFER_TOO_LARGE' || code === 'ZSTD_error_frameParameter_windowTooLarge') {
    return exceedsLimit(name, maxBytes);
  }
  return malformed(name, cause instanceof Error ? cause.message : String(cause), { cause });
}
