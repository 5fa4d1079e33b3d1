import type { CompressionName } from '../constants.ts';
import { COMPRESSION } from '../constants.ts';
import { UnsupportedCompressionError } from '../errors.ts';

/** The error for a codec that cannot write because its optional package is not there. */
export function missingPackage(
  name: CompressionName,
  packageName: string,
): UnsupportedCompressionError {
  return new UnsupportedCompressionError(
    COMPRESSION[name],
    `Writing ${name} needs the optional package "${packageName}"; it is not installed, or does not load here`,
  );
}
