// Hot path: one raw snappy block, https://github.com/google/snappy/blob/main/format_description.txt
import { CorruptBatchError } from '../errors.ts';
import type { BlockOutput } from './block-output.ts';

/** At its best, an element of 3 bytes stands for 64: no block becomes more than 22 times as long. */
export const SNAPPY_MAX_EXPANSION = 22;

const LITERAL = 0;
const COPY_1 = 1;
const COPY_2 = 2;

/** The length that a block declares of its content, and where its elements start. */
export interface SnappyPreamble {
  readonly length: number;
  readonly elementsAt: number;
}

/** Reads the declared length at the start of `source[from, to)`. */
export function readSnappyPreamble(source: Uint8Array, from: number, to: number): SnappyPreamble {
  let length = 0;
  let scale = 1;
  const last = Math.min(to, from + 5);
  for (let at = from; at < last; at += 1) {
    const byte = source[at] as number;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80 && length < 2 ** 32) return { length, elementsAt: at + 1 };
    scale *= 128;
  }
  throw new CorruptBatchError('compressed-data', 'A snappy block without a declared length');
}

/** Decodes the elements in `source[from, to)`; copies reach back to `floor` at most. */
export function decodeSnappyElements(
  source: Uint8Array,
  range: { readonly from: number; readonly to: number },
  output: BlockOutput,
  floor: number,
): void {
  const { from, to } = range;
  let at = from;
  while (at < to) {
    const tag = source[at] as number;
    at += 1;
    const kind = tag & 3;
    if (kind === LITERAL) {
      let count = (tag >>> 2) + 1;
      if (count > 60) {
        const bytes = count - 60;
        count = littleEndian(source, at, to, bytes) + 1;
        at += bytes;
      }
      if (count > to - at) throw cut();
      output.literal(source, at, at + count);
      at += count;
    } else if (kind === COPY_1) {
      const distance = ((tag & 0xe0) << 3) | littleEndian(source, at, to, 1);
      at += 1;
      output.copy(distance, ((tag >>> 2) & 7) + 4, floor);
    } else {
      const bytes = kind === COPY_2 ? 2 : 4;
      const distance = littleEndian(source, at, to, bytes);
      at += bytes;
      output.copy(distance, (tag >>> 2) + 1, floor);
    }
  }
}

/** An unsigned number of 1 to 4 bytes at `at`. */
function littleEndian(source: Uint8Array, at: number, to: number, bytes: number): number {
  if (bytes > to - at) throw cut();
  let value = source[at] as number;
  if (bytes > 1) value |= (source[at + 1] as number) << 8;
  if (bytes > 2) value |= (source[at + 2] as number) << 16;
  if (bytes > 3) value |= (source[at + 3] as number) << 24;
  return value >>> 0;
}

function cut(): CorruptBatchError {
  return new CorruptBatchError('compressed-data', 'A snappy block ends within an element');
}
