import type { Dialect } from '../null-store/route.ts';

/** Where the store is. */
export interface StorePlace {
  readonly dialect: Dialect;
  readonly port: number;
}

/** One way to move a segment to a store and back. */
export interface StoreWay {
  copy(file: string, bytes: number): Promise<void>;
  /** Reads what was copied, from its first to its last byte. */
  read(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** Counts the bytes of a stream, and fails when there are not so many. */
export async function drain(pieces: AsyncIterable<Uint8Array>, expected: number): Promise<void> {
  let bytes = 0;
  for await (const piece of pieces) bytes += piece.byteLength;
  if (bytes !== expected) throw new Error(`expected ${expected} bytes, got ${bytes}`);
}
