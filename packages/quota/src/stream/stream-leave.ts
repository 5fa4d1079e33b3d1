import type { BytePacer } from '../byte-pacer.ts';
import type { PacedOptions } from './paced-options.ts';

/** The most to take ahead of what there is; more would be of no use even at high limits. */
const MOST_AHEAD_BYTES = 65_536;

/**
 * The leave of one stream to pass bytes on, taken from a pacer in portions that do not depend on the
 * sizes of chunks: else a stream of small chunks, which asks for little each time, would get less
 * than its share.
 */
export class StreamLeave {
  readonly #total: BytePacer;
  readonly #pacer: BytePacer;
  #bytes = 0;

  /**
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaClosedError when the pacer is closed
   */
  constructor({ pacer, limit, priority, weight }: PacedOptions) {
    this.#total = pacer;
    this.#pacer = pacer.child({ limit, priority, weight });
  }

  /**
   * Waits for leave to pass bytes on.
   *
   * @param wanted bytes that there are, from 1
   * @returns how many of them may pass, from 1
   */
  async take(wanted: number, signal: AbortSignal | undefined): Promise<number> {
    const portion = this.#portionBytes(wanted);
    // A limit that was lowered since then holds for what is left, too.
    this.#bytes = Math.min(this.#bytes, portion);
    if (this.#bytes === 0) {
      await this.#pacer.take(portion, { signal });
      this.#bytes = portion;
    }
    const bytes = Math.min(wanted, this.#bytes);
    this.#bytes -= bytes;
    return bytes;
  }

  /** Gives up the place in line. */
  close(): Promise<void> {
    return this.#pacer.close();
  }

  /**
   * Half of what may be taken at once, by all streams together: each may have one portion ready
   * while its reader pauses, and when all go on at once the 100 ms after that must not be too full.
   */
  #portionBytes(wanted: number): number {
    const even = Math.floor(this.#pacer.sliceBytes / (2 * this.#total.children));
    return Math.max(1, Math.min(even, Math.max(wanted, MOST_AHEAD_BYTES)));
  }
}
