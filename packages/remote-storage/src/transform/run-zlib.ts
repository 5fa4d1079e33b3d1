import type { ZstdCompress, ZstdDecompress } from 'node:zlib';
import { freeBuffer } from './free-buffer.ts';

/**
 * Sends one input through an engine of zlib, beside the event loop, and gives all that comes out as one
 * array. zlib's own function for that copies what came in several pieces, and leaves the pieces to the
 * collector: with an engine whose first buffer has room for everything, they already lie in a row.
 *
 * @param maxBytes more than this ends the engine
 * @throws RangeError when more comes out; what the engine fails with
 */
export async function runZlib(
  engine: ZstdCompress | ZstdDecompress,
  input: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    engine.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes > maxBytes) engine.destroy(new RangeError(`more than ${maxBytes} bytes came out`));
    });
    engine.once('error', reject);
    engine.once('end', resolve);
    engine.end(input);
  });
  return inARow(pieces, bytes) ?? joined(pieces);
}

function inARow(pieces: readonly Buffer[], bytes: number): Uint8Array | undefined {
  const [first] = pieces;
  if (first === undefined) return new Uint8Array(0);
  let end = first.byteOffset;
  for (const { buffer, byteOffset, byteLength } of pieces) {
    if (buffer !== first.buffer || byteOffset !== end) return undefined;
    end += byteLength;
  }
  return Buffer.from(first.buffer, first.byteOffset, bytes);
}

function joined(pieces: readonly Buffer[]): Uint8Array {
  const whole = Buffer.concat(pieces);
  for (const piece of pieces) freeBuffer(piece);
  return whole;
}
