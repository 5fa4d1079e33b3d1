import { createRequire } from 'node:module';
import { crc32cByTables } from './crc32c-tables.ts';

type Crc32c = (bytes: Uint8Array, seed?: number) => number;

let compute: Crc32c = (bytes, seed) => {
  compute = acceptedCrc32c(loadAddon()) ?? crc32cByTables;
  return compute(bytes, seed);
};

/**
 * CRC-32C (Castagnoli) of `bytes`, the checksum that the store keeps of every object. By the prebuilt
 * addon `@node-rs/crc32` where it is installed, else by tables.
 *
 * @param seed the result for the bytes before these, to go on from. Default: 0, the start
 */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  return compute(bytes, seed);
}

/** A CRC as the store writes it: base64 of its four bytes, the highest first. */
export function crcToBase64(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString('base64');
}

/** The addon's function, if there is one and it computes what it should. */
export function acceptedCrc32c(addon: unknown): Crc32c | undefined {
  if (typeof addon !== 'object' || addon === null || !('crc32c' in addon)) return undefined;
  // Whatever it is, it is used only if it passes.
  const candidate = addon.crc32c as Crc32c;
  try {
    const digits = Buffer.from('123456789', 'latin1');
    const pieces = candidate(digits.subarray(4), candidate(digits.subarray(0, 4), 0));
    return candidate(digits, 0) === 0xe3069283 && pieces === 0xe3069283 ? candidate : undefined;
  } catch {
    return undefined;
  }
}

function loadAddon(): unknown {
  try {
    return createRequire(import.meta.url)('@node-rs/crc32');
  } catch {
    return undefined;
  }
}
