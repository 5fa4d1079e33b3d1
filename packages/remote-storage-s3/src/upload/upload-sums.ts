import type { UploadPart } from '@logloft/remote-storage';
import { combineCrc32 } from '../crc32-combine.ts';

interface PartSum {
  readonly crc: number;
  readonly bytes: number;
}

/** Checksums of the parts of an object. They were computed while the parts were filled. */
export class UploadSums {
  readonly #parts = new Map<number, PartSum>();

  /** CRC-32 of a part. */
  of({ index, bytes, checksum }: UploadPart): number {
    this.#parts.set(index, { crc: checksum, bytes: bytes.byteLength });
    return checksum;
  }

  /** CRC-32 of a part that has been seen. */
  ofIndex(index: number): number {
    return this.#parts.get(index)?.crc ?? 0;
  }

  /** CRC-32 of the whole object, when all of its parts have been seen. */
  whole(): number {
    const inOrder = [...this.#parts].toSorted(([a], [b]) => a - b);
    return inOrder.reduce((crc, [, part]) => combineCrc32(crc, part.crc, part.bytes), 0);
  }

  /** Bytes of all parts. */
  get bytes(): number {
    return [...this.#parts.values()].reduce((total, part) => total + part.bytes, 0);
  }
}
