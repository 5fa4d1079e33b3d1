/** Bytes of a slab. Larger reads are hardly faster, smaller ones cost a thread-pool turn too many. */
export const SLAB_BYTES: number = 256 * 1024;

// Enough for the copies and reads that a broker has in flight; what is above is left to the collector.
const MAX_FREE_SLABS = 16;

const free: Buffer[] = [];

/** A buffer of {@link SLAB_BYTES}, contents undefined. Its owner gives it back when no read is in flight. */
export function takeSlab(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
}

/** Returns a slab for the next owner. */
export function giveSlab(slab: Buffer): void {
  if (free.length < MAX_FREE_SLABS) free.push(slab);
}
