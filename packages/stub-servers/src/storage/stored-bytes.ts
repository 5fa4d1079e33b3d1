/** Bytes that never change, in pieces, so that joining and cutting copy nothing. */
export class StoredBytes {
  static readonly EMPTY: StoredBytes = new StoredBytes([]);
  readonly pieces: readonly Buffer[];
  readonly size: number;

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces.filter((piece) => piece.length > 0);
    this.size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** All of `parts`, one behind the other. */
  static join(parts: readonly StoredBytes[]): StoredBytes {
    return new StoredBytes(parts.flatMap((part) => part.pieces));
  }

  /** The bytes from `start` to before `end`; both are cut to what there is. */
  slice(start: number, end: number): StoredBytes {
    const pieces: Buffer[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      const from = Math.max(0, start - at);
      const to = Math.min(piece.length, end - at);
      if (from < to) pieces.push(piece.subarray(from, to));
      at += piece.length;
      if (at >= end) break;
    }
    return new StoredBytes(pieces);
  }

  /** A copy in one buffer. */
  toBuffer(): Buffer {
    return Buffer.concat(this.pieces, this.size);
  }
}
