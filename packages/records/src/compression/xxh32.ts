// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md, the 32-bit variant.
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;
const STRIPE_BYTES = 16;

/** xxHash32 of `bytes` with seed 0, unsigned: the checksum of LZ4 frames. */
export function xxh32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let hash = PRIME_5;
  if (bytes.length >= STRIPE_BYTES) {
    let a = (PRIME_1 + PRIME_2) | 0;
    let b = PRIME_2 | 0;
    let c = 0;
    let d = -PRIME_1 | 0;
    for (const end = bytes.length - STRIPE_BYTES; at <= end; at += STRIPE_BYTES) {
      a = round(a, view.getInt32(at, true));
      b = round(b, view.getInt32(at + 4, true));
      c = round(c, view.getInt32(at + 8, true));
      d = round(d, view.getInt32(at + 12, true));
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  hash = (hash + bytes.length) | 0;
  for (; at + 4 <= bytes.length; at += 4) {
    hash = Math.imul(rotate((hash + Math.imul(view.getInt32(at, true), PRIME_3)) | 0, 17), PRIME_4);
  }
  for (; at < bytes.length; at += 1) {
    hash = Math.imul(rotate((hash + Math.imul(view.getUint8(at), PRIME_5)) | 0, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(lane: number, input: number): number {
  return Math.imul(rotate((lane + Math.imul(input, PRIME_2)) | 0, 13), PRIME_1);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
