import { crc32cFallback } from './crc32c-fallback.ts';
import { loadOptionalPackage } from './optional-package.ts';

type Crc32c = (bytes: Uint8Array, seed?: number) => number;

/** Who computes the checksums: the prebuilt addon `@node-rs/crc32`, or this package's own code. */
export type Crc32cImplementation = 'native' | 'javascript';

let implementation: Crc32cImplementation | undefined;
let compute: Crc32c = chooseAndCompute;

/**
 * CRC-32C (Castagnoli) of `bytes`, as an unsigned 32-bit number. The polynomial is the one of
 * record batches, not that of `zlib.crc32`.
 *
 * @param seed the result for the bytes before these, to go on from. Default: 0, the start
 */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  return compute(bytes, seed);
}

/** Which implementation serves {@link crc32c}. Chosen once, at the first use of either function. */
export function crc32cImplementation(): Crc32cImplementation {
  implementation ??= choose();
  return implementation;
}

/** Takes part in the choice only: replaced by the chosen function at its first call. */
function chooseAndCompute(bytes: Uint8Array, seed?: number): number {
  crc32cImplementation();
  return compute(bytes, seed);
}

function choose(): Crc32cImplementation {
  const native = acceptedCrc32c(loadOptionalPackage('@node-rs/crc32'));
  compute = native ?? crc32cFallback;
  return native === undefined ? 'javascript' : 'native';
}

/** The addon's function, if there is one and it computes what it should. */
export function acceptedCrc32c(addon: object | undefined): Crc32c | undefined {
  if (addon === undefined || !('crc32c' in addon)) return undefined;
  const candidate = addon.crc32c as Crc32c;
  try {
    return passesSelfTest(candidate) ? candidate : undefined;
  } catch {
    return undefined;
  }
}

/** The check value of the CRC catalogue, in one piece and in two. */
function passesSelfTest(candidate: Crc32c): boolean {
  const digits = Buffer.from('123456789', 'latin1');
  const whole = candidate(digits, 0);
  const pieces = candidate(digits.subarray(4), candidate(digits.subarray(0, 4), 0));
  return whole === 0xe3069283 && pieces === 0xe3069283;
}
