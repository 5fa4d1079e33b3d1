import type { LogStorageError } from '../errors.ts';

/**
 * What a partition gathers in a turn: the batches, and the one promise of all of them. The arrays
 * are used again; the promise is made when somebody appends.
 */
export class AppendTurn {
  readonly buffers: Uint8Array[] = [];
  readonly lastOffsets: number[] = [];
  readonly maxTimestamps: number[] = [];
  bytes = 0;
  #promise: Promise<void> | undefined;
  #resolve: (() => void) | undefined;
  #reject: ((error: LogStorageError) => void) | undefined;

  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  /** Settles with the present turn. */
  get written(): Promise<void> {
    if (this.#promise === undefined) {
      this.#promise = new Promise((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
      });
      // With acks=0 nobody asks; that must not end the process.
      this.#promise.catch(ignore);
    }
    return this.#promise;
  }

  add(buffer: Uint8Array, lastOffset: number, maxTimestamp: number): void {
    this.buffers.push(buffer);
    this.lastOffsets.push(lastOffset);
    this.maxTimestamps.push(maxTimestamp);
    this.bytes += buffer.length;
  }

  /** Ends the turn; returns how to settle its promise. */
  end(): { resolve(): void; reject(error: LogStorageError): void } {
    const resolve = this.#resolve ?? ignore;
    const reject = this.#reject ?? ignore;
    this.#promise = undefined;
    this.#resolve = undefined;
    this.#reject = undefined;
    this.buffers.length = 0;
    this.lastOffsets.length = 0;
    this.maxTimestamps.length = 0;
    this.bytes = 0;
    return { resolve, reject };
  }
}

function ignore(): void {
  // Nobody waits.
}
