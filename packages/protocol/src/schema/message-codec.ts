import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { ProtocolError, UnsupportedVersionError } from '../errors.ts';
import { compileStruct } from './compile-struct.ts';
import type { StructDescription } from './description.ts';
import type { ValueCodec } from './value-codec.ts';

/** A range of versions, both ends included. */
export interface VersionRange {
  readonly min: number;
  readonly max: number;
}

/** What a {@link MessageCodec} is made from. */
export interface MessageDescription<T extends object> {
  /** For error messages, such as `ProduceRequest`. */
  readonly name: string;
  readonly versions: VersionRange;
  /** First version with compact lengths and tagged fields; infinite when there is none. */
  readonly flexibleFrom: number;
  readonly struct: StructDescription<T>;
}

/**
 * Reads and writes the body of one message in all of its versions. A version is compiled when it is
 * first used, and kept.
 *
 * A decoded object has every field of the message; those that its version does not have hold their
 * default. The other way round, fields that the version does not have are left out without a word.
 */
export class MessageCodec<T extends object> {
  /** Name of the message, such as `ProduceRequest`. */
  readonly name: string;
  /** Versions that can be decoded and encoded. */
  readonly versions: VersionRange;
  /** First version with compact lengths and tagged fields; infinite when there is none. */
  readonly flexibleFrom: number;
  /** The fields, as data. */
  readonly struct: StructDescription<T>;
  readonly #compiled: (ValueCodec | undefined)[] = [];

  constructor(description: MessageDescription<T>) {
    this.name = description.name;
    this.versions = description.versions;
    this.flexibleFrom = description.flexibleFrom;
    this.struct = description.struct;
  }

  /**
   * Reads one message from the reader's position on. Bytes and records in it are views of the frame.
   *
   * @throws MalformedMessageError when the bytes are not such a message
   * @throws UnsupportedVersionError
   */
  decode(reader: ByteReader, version: number): T {
    const codec = this.#compiled[version] ?? this.#compile(version);
    try {
      // The decoded boundary: the struct's type parameter says what its codec reads.
      return codec.read(reader) as T;
    } catch (error) {
      throw this.#placed(error, version);
    }
  }

  /**
   * Appends one message to the writer. When it throws, the writer holds half of it: reset it.
   *
   * @throws UnencodableValueError when a value does not fit its field
   * @throws UnsupportedVersionError
   */
  encode(writer: ByteWriter, version: number, message: T): void {
    const codec = this.#compiled[version] ?? this.#compile(version);
    try {
      codec.write(writer, message);
    } catch (error) {
      throw this.#placed(error, version);
    }
  }

  #compile(version: number): ValueCodec {
    const { min, max } = this.versions;
    if (!Number.isInteger(version) || version < min || version > max) {
      throw new UnsupportedVersionError(
        `${this.name} is known in versions ${min} to ${max}, not in version ${version}`,
      );
    }
    const flexible = version >= this.flexibleFrom;
    const codec = compileStruct(this.struct, { version, flexible });
    this.#compiled[version] = codec;
    return codec;
  }

  #placed(error: unknown, version: number): unknown {
    return error instanceof ProtocolError ? error.within(`${this.name} v${version}`) : error;
  }
}
