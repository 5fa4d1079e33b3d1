// Smaller ones may share their memory with others, in Node's pool of small buffers.
const LEAST_BYTES = 128 * 1024;

/**
 * Gives the memory of a buffer back at once, and leaves the buffer empty. What the cipher and zstd give out
 * is memory of its own each time, and the collector lets 64 MiB of it pile up before it looks.
 *
 * @param bytes all of its memory, with nobody else at it
 */
export function freeBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_BYTES) buffer.transfer(0);
}
