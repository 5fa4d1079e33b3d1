/** Bytes, or text that is written as UTF-8, or nothing, which is not the same as no bytes. */
export type FieldInput = Uint8Array | string | null;

/** A header of a record to be written. */
export interface RecordHeaderInput {
  readonly key: string;
  readonly value: FieldInput;
}

/** A record to be written. */
export interface RecordInput {
  /** Ms since the epoch. */
  readonly timestamp: number;
  /** Default: null. */
  readonly key?: FieldInput | undefined;
  /** Null makes a tombstone. Default: null. */
  readonly value?: FieldInput | undefined;
  /** Default: none. */
  readonly headers?: readonly RecordHeaderInput[] | undefined;
  /** Greater than the offset of the record before it. Default: one more than that. */
  readonly offset?: number | undefined;
}
