import { RemoteStorageError } from '../errors.ts';
import type { CustomMetadata } from '../segment-metadata.ts';

/** What the catalogue can be given to keep, by the names of Aiven's plugin. */
export type CustomMetadataField = 'REMOTE_SIZE' | 'OBJECT_PREFIX' | 'OBJECT_KEY';

/** All of them, at their tags 0, 1 and 2. */
export const CUSTOM_METADATA_FIELDS: readonly CustomMetadataField[] = Object.freeze([
  'REMOTE_SIZE',
  'OBJECT_PREFIX',
  'OBJECT_KEY',
]);

/** Contents of the custom metadata; what is absent was not kept. */
export interface CustomMetadataFields {
  /** Bytes of all three objects. */
  readonly remoteSize?: number | undefined;
  /** Key prefix in force when the segment was copied. */
  readonly objectPrefix?: string | undefined;
  /** Main path of the objects, without prefix and suffix. */
  readonly objectKey?: string | undefined;
}

/** Bytes as Kafka writes tagged fields; `undefined` when there is nothing to keep. */
export function encodeCustomMetadata(fields: CustomMetadataFields): CustomMetadata | undefined {
  const tagged: [tag: number, bytes: Buffer][] = [];
  const { remoteSize, objectPrefix, objectKey } = fields;
  // Sizes are not negative, so the zigzag form is twice the value.
  if (remoteSize !== undefined) tagged.push([0, varint(remoteSize * 2)]);
  if (objectPrefix !== undefined) tagged.push([1, compactString(objectPrefix)]);
  if (objectKey !== undefined) tagged.push([2, compactString(objectKey)]);
  if (tagged.length === 0) return undefined;
  const parts = tagged.flatMap(([tag, bytes]) => [varint(tag), varint(bytes.length), bytes]);
  return Uint8Array.from(Buffer.concat([varint(tagged.length), ...parts]));
}

/**
 * Reads what {@link encodeCustomMetadata} wrote. Unknown tags are skipped.
 *
 * @throws RemoteStorageError `corrupt` when a length leads beyond the end
 */
export function decodeCustomMetadata(bytes: CustomMetadata): CustomMetadataFields {
  const reader = new Reader(bytes);
  const fields: { -readonly [K in keyof CustomMetadataFields]: CustomMetadataFields[K] } = {};
  for (let left = reader.varint(); left > 0; left -= 1) {
    const tag = reader.varint();
    const field = reader.part(reader.varint());
    if (tag === 0) fields.remoteSize = zigzag(field.varint());
    if (tag === 1) fields.objectPrefix = field.text(field.varint() - 1);
    if (tag === 2) fields.objectKey = field.text(field.varint() - 1);
  }
  return fields;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

function zigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function compactString(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([varint(bytes.length + 1), bytes]);
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw malformed('ends within a number');
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (!Number.isSafeInteger(value)) throw malformed('has a number beyond 2^53');
      if (byte < 0x80) return value;
    }
  }

  part(length: number): Reader {
    return new Reader(this.#take(length));
  }

  text(length: number): string {
    return Buffer.from(this.#take(length)).toString('utf8');
  }

  #take(length: number): Uint8Array {
    if (length < 0 || length > this.#bytes.byteLength - this.#at) {
      throw malformed(
        `promises ${length} bytes where ${this.#bytes.byteLength - this.#at} are left`,
      );
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

function malformed(problem: string): RemoteStorageError {
  return new RemoteStorageError('corrupt', `The segment's custom metadata ${problem}`);
}
