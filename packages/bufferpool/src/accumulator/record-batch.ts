import { AccumulatorError } from './accumulator-error.ts';

/** Records of one partition that are sent together. */
export interface RecordBatch<R, P> {
  readonly partition: P;
  /** In the order in which they were appended. Do not change the array. */
  readonly records: readonly R[];
  /** The sum of the estimates of its records, or what `write` wrote, in bytes. */
  readonly sizeBytes: number;
  /** When it was opened, on the monotonic clock, in ms. */
  readonly createdMs: number;
  /** How often it was taken for sending. */
  readonly attempts: number;

  /**
   * What `write` wrote, in the memory of the pool; empty without `write`.
   *
   * @throws {@link AccumulatorError} `LOGLOFT_ACCUMULATOR_BATCH_RELEASED` once its memory went back
   */
  readonly bytes: Buffer;

  /** Resolves when the sender has completed the batch; rejects with why it was given up. */
  settled(): Promise<void>;
}

type Outcome = { readonly error: unknown } | 'completed';

/** How records get into a batch. */
export interface BatchShape<R> {
  /** From this size on, in bytes, no record is added. */
  readonly limitBytes: number;
  readonly write: ((record: R, target: Buffer, offset: number) => number) | undefined;
}

/** A {@link RecordBatch} as its accumulator sees it. */
export class AccumulatingBatch<R, P> implements RecordBatch<R, P> {
  readonly partition: P;
  readonly records: R[] = [];
  readonly createdMs: number;
  /** Position in the order of its partition. */
  readonly sequence: number;
  sizeBytes: number = 0;
  attempts: number = 0;
  /** Not to be taken before, on the monotonic clock; set by a retry. */
  notBeforeMs: number = Number.NEGATIVE_INFINITY;
  /** Whether it takes no more records. */
  isClosed: boolean = false;
  readonly #shape: BatchShape<R>;
  #buffer: Buffer | undefined;
  #outcome: Outcome | undefined = undefined;
  #settled: PromiseWithResolvers<void> | undefined = undefined;

  constructor(
    place: { readonly partition: P; readonly sequence: number; readonly nowMs: number },
    buffer: Buffer,
    shape: BatchShape<R>,
  ) {
    this.partition = place.partition;
    this.sequence = place.sequence;
    this.createdMs = place.nowMs;
    this.#buffer = buffer;
    this.#shape = shape;
  }

  get bytes(): Buffer {
    if (this.#buffer !== undefined) {
      return this.#buffer.subarray(0, this.#shape.write === undefined ? 0 : this.sizeBytes);
    }
    throw new AccumulatorError(
      'batch-released',
      'The bytes of a batch were asked for after it was settled. Copy what you need before.',
    );
  }

  get isSettled(): boolean {
    return this.#outcome !== undefined;
  }

  hasRoomFor(bytes: number): boolean {
    return !this.isClosed && this.sizeBytes + bytes <= this.#shape.limitBytes;
  }

  /** Adds a record that it has room for. @throws what `write` throws, and nothing is added */
  add(record: R, estimatedBytes: number): void {
    this.sizeBytes += this.#write(record, estimatedBytes);
    this.records.push(record);
    if (this.sizeBytes >= this.#shape.limitBytes) this.isClosed = true;
  }

  settled(): Promise<void> {
    this.#settled ??= Promise.withResolvers();
    this.#settle();
    return this.#settled.promise;
  }

  /** Decides how it ends. Only the first call counts. */
  end(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.isClosed = true;
    this.#settle();
  }

  /** Hands its buffer over to whoever returns it to the pool: the first time only. */
  takeBuffer(): Buffer | undefined {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    return buffer;
  }

  #settle(): void {
    if (this.#outcome === undefined || this.#settled === undefined) return;
    if (this.#outcome === 'completed') this.#settled.resolve();
    else this.#settled.reject(this.#outcome.error);
  }

  #write(record: R, estimatedBytes: number): number {
    const { write } = this.#shape;
    if (write === undefined || this.#buffer === undefined) return estimatedBytes;
    const written = write(record, this.#buffer, this.sizeBytes);
    if (Number.isInteger(written) && written >= 0 && written <= estimatedBytes) return written;
    throw new AccumulatorError(
      'invalid-record',
      `write must return a number of bytes in [0, ${estimatedBytes}], which is the estimate of the ` +
        `record; got ${String(written)}. Let estimatedBytes be an upper bound.`,
    );
  }
}
