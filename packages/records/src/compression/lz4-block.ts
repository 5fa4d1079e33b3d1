// Hot path: LZ4 blocks, https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
import { CorruptBatchError } from '../errors.ts';
import type { BlockOutput } from './block-output.ts';

const MIN_MATCH_BYTES = 4;
/** A length nibble of 15 goes on in the bytes after it, each of 255 going on in the next. */
const LONG_NIBBLE = 15;
/** At its best a block of the format becomes 255 times as long. */
export const LZ4_MAX_EXPANSION = 255;

/** Decodes blocks of one piece of data into one output. */
export class Lz4BlockDecoder {
  readonly #source: Uint8Array;
  readonly #output: BlockOutput;
  #at = 0;
  #end = 0;

  constructor(source: Uint8Array, output: BlockOutput) {
    this.#source = source;
    this.#output = output;
  }

  /**
   * Decodes the block in `source[start, end)`.
   *
   * @param floor position in the output before which copies must not reach
   * @throws CorruptBatchError with reason `compressed-data`
   */
  decode(start: number, end: number, floor: number): void {
    const source = this.#source;
    const output = this.#output;
    this.#at = start;
    this.#end = end;
    while (this.#at < end) {
      const token = source[this.#at] as number;
      this.#at += 1;
      const literals = this.#length(token >>> 4);
      const from = this.#at;
      if (literals > end - from) throw cut();
      output.literal(source, from, from + literals);
      // The last sequence of a block ends with its literals.
      if (from + literals === end) return;

      this.#at = from + literals + 2;
      if (this.#at > end) throw cut();
      const distance = (source[this.#at - 2] as number) | ((source[this.#at - 1] as number) << 8);
      output.copy(distance, this.#length(token & 0x0f) + MIN_MATCH_BYTES, floor);
    }
  }

  #length(nibble: number): number {
    if (nibble < LONG_NIBBLE) return nibble;
    let length = nibble;
    let more = 255;
    while (more === 255) {
      if (this.#at >= this.#end) throw cut();
      more = this.#source[this.#at] as number;
      this.#at += 1;
      length += more;
    }
    return length;
  }
}

function cut(): CorruptBatchError {
  return new CorruptBatchError('compressed-data', 'An LZ4 block ends within a sequence');
}
