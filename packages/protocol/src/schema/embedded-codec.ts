import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import { type StructFields, struct } from './description.ts';
import { MessageCodec } from './message-codec.ts';

/**
 * Reads and writes a message that travels inside a bytes field of another one: two bytes of version,
 * then its fields, never flexible.
 */
export class EmbeddedCodec<T extends object> {
  readonly #codec: MessageCodec<T>;

  constructor(name: string, maxVersion: number, fields: StructFields<T>) {
    this.#codec = new MessageCodec({
      name,
      versions: { min: 0, max: maxVersion },
      flexibleFrom: Number.POSITIVE_INFINITY,
      struct: struct(fields),
    });
  }

  /**
   * Reads a message. A version newer than is known is read as the newest known one; what it has more
   * stands behind and is not looked at. So Kafka's own consumers do.
   *
   * @throws MalformedMessageError
   */
  decode(payload: Buffer): T {
    const reader = new ByteReader(payload);
    const version = reader.readInt16();
    if (version < 0) throw reader.malformed(`a version of ${version} was found`);
    return this.#codec.decode(reader, Math.min(version, this.#codec.versions.max));
  }

  /**
   * Makes a message with its version in front.
   *
   * @throws UnencodableValueError
   * @throws UnsupportedVersionError
   */
  encode(version: number, message: T): Buffer {
    const writer = new ByteWriter();
    writer.writeInt16(version);
    this.#codec.encode(writer, version, message);
    return Buffer.concat(writer.finish().chunks);
  }
}
