/** The segments of one partition that wait to be copied. Producers may add to them all the time. */
export class PartitionBacklog {
  readonly #segmentBytes: number;
  readonly #ingestPerMs: number;
  /** Bytes of the start that are not copied; the last segment of them may be smaller. */
  #oldBytes: number;
  #newSegmentsCopied = 0;

  constructor(options: {
    readonly backlogBytes: number;
    readonly segmentBytes: number;
    readonly ingestBytesPerSecond: number;
  }) {
    this.#oldBytes = options.backlogBytes;
    this.#segmentBytes = options.segmentBytes;
    this.#ingestPerMs = options.ingestBytesPerSecond / 1000;
  }

  /** The bytes of the next segment; 0 when there is none that is complete. */
  nextBytes(nowMs: number): number {
    if (this.#oldBytes > 0) return Math.min(this.#oldBytes, this.#segmentBytes);
    const complete = Math.floor((nowMs * this.#ingestPerMs) / this.#segmentBytes);
    return complete > this.#newSegmentsCopied ? this.#segmentBytes : 0;
  }

  /** The next segment was copied. */
  advance(): void {
    if (this.#oldBytes > 0) this.#oldBytes -= Math.min(this.#oldBytes, this.#segmentBytes);
    else this.#newSegmentsCopied += 1;
  }
}
