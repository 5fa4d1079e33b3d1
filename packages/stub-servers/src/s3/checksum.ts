import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32c } from '../checksums/crc32c.ts';

/** The checksums of S3 that the stub computes. */
export type ChecksumAlgorithm = 'CRC32' | 'CRC32C' | 'SHA1' | 'SHA256';

/** A checksum over all of an object, or over the checksums of its parts. */
export interface ObjectChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly type: 'FULL_OBJECT' | 'COMPOSITE';
  /** Base64 of the bytes, most significant first; composite ones end with `-` and the number of parts. */
  readonly value: string;
}

/** All algorithms, with the number of bytes of each. */
export const CHECKSUM_BYTES: ReadonlyMap<ChecksumAlgorithm, number> = new Map([
  ['CRC32', 4],
  ['CRC32C', 4],
  ['SHA1', 20],
  ['SHA256', 32],
]);

/** A checksum on its way. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  /** Base64 of what was given so far. To be called once. */
  digest(): string;
}

type CrcStep = (bytes: Uint8Array, seed: number) => number;

class RunningCrc implements RunningChecksum {
  readonly #step: CrcStep;
  #value = 0;

  constructor(step: CrcStep) {
    this.#step = step;
  }

  update(bytes: Uint8Array): void {
    this.#value = this.#step(bytes, this.#value);
  }

  digest(): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#value);
    return bytes.toString('base64');
  }
}

/** Starts a checksum. */
export function startChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  if (algorithm === 'CRC32') return new RunningCrc(crc32);
  if (algorithm === 'CRC32C') return new RunningCrc(crc32c);
  const hash = createHash(algorithm === 'SHA1' ? 'sha1' : 'sha256');
  return {
    update: (bytes) => {
      hash.update(bytes);
    },
    digest: () => hash.digest('base64'),
  };
}

/** The checksum of some pieces, one behind the other. */
export function checksumOf(algorithm: ChecksumAlgorithm, pieces: readonly Uint8Array[]): string {
  const running = startChecksum(algorithm);
  for (const piece of pieces) running.update(piece);
  return running.digest();
}

/** `crc32` for `CRC32`, and so on: how headers call an algorithm. */
export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** The algorithm of a name in either case, or `undefined` when the stub does not have it. */
export function checksumAlgorithm(name: string): ChecksumAlgorithm | undefined {
  const wanted = name.toUpperCase();
  return [...CHECKSUM_BYTES.keys()].find((algorithm) => algorithm === wanted);
}

/** Whether a text can be a checksum of that algorithm, in base64. */
export function isChecksum(algorithm: ChecksumAlgorithm, value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === CHECKSUM_BYTES.get(algorithm) && bytes.toString('base64') === value;
}
