const LINE_END = 0x0a;
const MAX_PIECE_BYTES = 16 * 1024;

/**
 * Cuts a file into the values of its records: a line each, with its line end, and a line of more than
 * 16 KiB in pieces. Put together again they are the file.
 */
export function* piecesOf(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < bytes.byteLength) {
    const lineEnd = bytes.indexOf(LINE_END, start);
    const end = lineEnd === -1 ? bytes.byteLength : lineEnd + 1;
    const cut = Math.min(end, start + MAX_PIECE_BYTES);
    yield bytes.subarray(start, cut);
    start = cut;
  }
}
