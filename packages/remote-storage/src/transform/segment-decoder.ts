import type { Clock } from '@logloft/clock';
import { RemoteStorageError } from '../errors.ts';
import { freeBuffer } from './free-buffer.ts';
import type { SegmentCipher } from './segment-cipher.ts';
import { decompressFrame } from './zstd.ts';

/** How a segment's bytes were transformed before they were stored. */
export interface SegmentDecoderOptions {
  /** By it large chunks are decrypted a slice a turn of the event loop. */
  readonly clock: Clock;
  /** Whether each chunk of the log is a zstd frame. */
  readonly isCompressed: boolean;
  /** Absent when the segment is not encrypted. */
  readonly cipher: SegmentCipher | undefined;
}

/** Which bytes are being decoded. */
export interface StoredPart {
  /** Key of the object that they are in, for the message. */
  readonly key: string;
  /** Where in the object they begin, for the message. */
  readonly storedStart: number;
  /** What has to come out of them. */
  readonly originalBytes: number;
}

/** Gives a segment's bytes back as they were before they were stored. */
export class SegmentDecoder {
  readonly #options: SegmentDecoderOptions;

  constructor(options: SegmentDecoderOptions) {
    this.#options = options;
  }

  /** Whether the stored log is the log itself, byte for byte, so that any range of it can be read. */
  get isPlain(): boolean {
    return !this.#options.isCompressed && this.#options.cipher === undefined;
  }

  /**
   * One chunk of the log whole. Of a plain segment the same array comes back.
   *
   * @param stored must not change until the promise settles
   * @throws RemoteStorageError `corrupt` for anything but what was written
   */
  async chunk(stored: Uint8Array, part: StoredPart): Promise<Uint8Array> {
    return await naming(part, async () => {
      const opened = await this.#open(stored);
      if (!this.#options.isCompressed) return ofLength(opened, part.originalBytes);
      try {
        return await decompressFrame(opened, part.originalBytes);
      } finally {
        if (opened !== stored) freeBuffer(opened);
      }
    });
  }

  /**
   * One index whole; indexes are never compressed. Of a segment that is not encrypted the same array
   * comes back. An empty index is stored as no bytes.
   *
   * @throws RemoteStorageError `corrupt` for anything but what was written
   */
  async index(stored: Uint8Array, part: Omit<StoredPart, 'originalBytes'>): Promise<Uint8Array> {
    if (stored.byteLength === 0) return stored;
    return await naming(part, () => this.#open(stored));
  }

  async #open(stored: Uint8Array): Promise<Uint8Array> {
    const { cipher, clock } = this.#options;
    return cipher === undefined ? stored : await cipher.decrypt(stored, clock);
  }
}

function ofLength(bytes: Uint8Array, wanted: number): Uint8Array {
  if (bytes.byteLength === wanted) return bytes;
  throw new RemoteStorageError(
    'corrupt',
    `There are ${bytes.byteLength} bytes where the manifest promises ${wanted}`,
  );
}

async function naming(
  { key, storedStart }: Omit<StoredPart, 'originalBytes'>,
  decode: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  try {
    return await decode();
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new RemoteStorageError(
      'corrupt',
      `The object ${JSON.stringify(key)} is damaged from byte ${storedStart} on: ${problem}. What is ` +
        'stored there is lost unless the object is restored',
      { cause: error, key },
    );
  }
}
