import { BufferPoolError } from './errors.ts';

/** A buffer that goes back to its pool when it is disposed of. */
export class BufferLease implements Disposable {
  readonly #giveBack: (buffer: Buffer) => void;
  #buffer: Buffer | undefined;

  /** @param giveBack called once with `buffer`, at the first release */
  constructor(buffer: Buffer, giveBack: (buffer: Buffer) => void) {
    this.#buffer = buffer;
    this.#giveBack = giveBack;
  }

  /**
   * The buffer, while it is yours.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_LEASE_RELEASED` after {@link BufferLease.release}:
   *   somebody else may be writing into it by then
   */
  get buffer(): Buffer {
    if (this.#buffer === undefined) {
      throw new BufferPoolError(
        'lease-released',
        'The buffer of a lease was asked for after its release. Copy what you need before.',
      );
    }
    return this.#buffer;
  }

  /** Gives the buffer back. Calls after the first have no effect. */
  release(): void {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    this.#buffer = undefined;
    this.#giveBack(buffer);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
