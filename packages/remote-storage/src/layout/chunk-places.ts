/** Where one chunk of a segment's log is: in the log itself, and in the stored object. All in bytes. */
export interface ChunkPlace {
  readonly originalStart: number;
  readonly originalBytes: number;
  readonly storedStart: number;
  readonly storedBytes: number;
}

/** The chunks of a segment's log, in order and without gaps, as its manifest tells them. */
export interface ChunkPlaces {
  /** How many; 0 for an empty log. */
  readonly count: number;
  /** Bytes of the log. */
  readonly originalBytes: number;
  /** Bytes of the stored log object. */
  readonly storedBytes: number;
  /** @param index from 0 to `count` - 1 */
  at(index: number): ChunkPlace;
  /** Number of the chunk that holds the byte at `originalOffset`, which is below `originalBytes`. */
  holding(originalOffset: number): number;
}
