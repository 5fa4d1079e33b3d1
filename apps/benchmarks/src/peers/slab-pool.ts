const SLAB_BYTES: readonly number[] = [64 * 1024, 1088 * 1024, 16 * 1024 * 1024];

/** Buffers of three sizes, used again and again; without any bound, as only a throw-away peer may. */
export class SlabPool {
  readonly #free: Buffer[][] = SLAB_BYTES.map(() => []);

  /** A buffer of at least `bytes` bytes. */
  take(bytes: number): Buffer {
    const index = SLAB_BYTES.findIndex((slab) => slab >= bytes);
    const slabBytes = SLAB_BYTES[index];
    if (slabBytes === undefined) throw new RangeError(`No slab holds ${bytes} bytes`);
    return this.#free[index]?.pop() ?? Buffer.allocUnsafeSlow(slabBytes);
  }

  /** Takes back what {@link SlabPool.take} gave. */
  giveBack(slab: Buffer): void {
    this.#free[SLAB_BYTES.indexOf(slab.length)]?.push(slab);
  }
}
