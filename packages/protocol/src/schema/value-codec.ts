import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';

/**
 * How one field is read and written in one version: what a description was compiled to. The values
 * are `unknown` here; the description's own type says what they are.
 */
export interface ValueCodec {
  readonly read: (reader: ByteReader) => unknown;
  readonly write: (writer: ByteWriter, value: unknown) => void;
  /** The least number of bytes that a value takes; what bounds the count of an array. */
  readonly minBytes: number;
}

/** In which form a value is on the wire. */
export interface WireForm {
  readonly version: number;
  /** Compact lengths and tagged fields. */
  readonly flexible: boolean;
  /** Null is allowed. */
  readonly nullable: boolean;
}
