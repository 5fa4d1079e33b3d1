// CRC-32 (IEEE) in its reflected form: bit 31 stands for x^0.
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/**
 * CRC-32 of two runs of bytes put together, from the CRC-32 of each: parts that are sent side by side
 * give the checksum of the whole without their bytes being read twice.
 *
 * @param secondBytes length of the second run in bytes
 */
export function combineCrc32(first: number, second: number, secondBytes: number): number {
  return (multiply(first, powerOfX(secondBytes * 8)) ^ second) >>> 0;
}

/** The product of two polynomials, modulo that of the CRC. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b >>> 0;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}

/** x^n; n is beyond 32 bits for large parts, so it is halved as a number. */
function powerOfX(n: number): number {
  let power = ONE;
  let square = ONE >>> 1;
  for (let left = n; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

/** A CRC-32 as S3 writes it: base64 of its four bytes, big-endian. */
export function crc32Text(crc: number): string {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(crc >>> 0);
  return bytes.toString('base64');
}
