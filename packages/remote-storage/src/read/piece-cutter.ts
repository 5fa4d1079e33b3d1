import { RemoteStorageError } from '../errors.ts';

/** Cuts a stream of pieces at other places than it came in. */
export class PieceCutter {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #onPiece: (bytes: number) => void;
  #rest: Uint8Array = new Uint8Array(0);

  /** @param onPiece told the bytes of each piece as it comes */
  constructor(pieces: AsyncIterable<Uint8Array>, onPiece: (bytes: number) => void) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#onPiece = onPiece;
  }

  /**
   * Fills a buffer with the next bytes.
   *
   * @throws what the stream throws; RemoteStorageError `corrupt` when it ends before
   */
  async fill(target: Uint8Array): Promise<void> {
    let filled = 0;
    while (filled < target.byteLength) {
      if (this.#rest.byteLength === 0) await this.#advance(target.byteLength - filled);
      const taken = this.#rest.subarray(0, target.byteLength - filled);
      target.set(taken, filled);
      filled += taken.byteLength;
      this.#rest = this.#rest.subarray(taken.byteLength);
    }
  }

  /** Ends the stream. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #advance(missingBytes: number): Promise<void> {
    const result = await this.#pieces.next();
    if (result.done) {
      throw new RemoteStorageError('corrupt', `A read ended ${missingBytes} bytes short`);
    }
    this.#rest = result.value;
    this.#onPiece(result.value.byteLength);
  }
}
