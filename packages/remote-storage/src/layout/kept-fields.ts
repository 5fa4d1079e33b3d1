import { RemoteStorageError } from '../errors.ts';
import type { CustomMetadata } from '../segment-metadata.ts';
import {
  type CustomMetadataField,
  type CustomMetadataFields,
  encodeCustomMetadata,
} from './custom-metadata.ts';

// Kafka's default for `remote.log.metadata.custom.metadata.max.bytes`; more makes it delete the copy.
const MAX_CUSTOM_METADATA_BYTES = 128;

// Three objects of 2^31 - 1 bytes, and the shortest path: a topic of one letter.
const MOST_REMOTE_BYTES = 3 * 2_147_483_647;
const SHORTEST_MAIN_PATH = 'x'.repeat(69);

/** What the catalogue is given to keep of each segment, never more than it takes. */
export class KeptFields {
  readonly #fields: readonly CustomMetadataField[];

  /**
   * @throws RemoteStorageError `invalid-configuration` when the prefix alone makes it certain that a field
   *   never fits
   */
  constructor(fields: readonly CustomMetadataField[], prefix: string) {
    this.#fields = fields;
    const all = {
      remoteSize: MOST_REMOTE_BYTES,
      objectPrefix: prefix,
      objectKey: SHORTEST_MAIN_PATH,
    };
    if (this.#fits({ ...all })) return;
    const withoutKey = this.#fits({ ...all, objectKey: undefined });
    throw new RemoteStorageError(
      'invalid-configuration',
      `With a key prefix of ${Buffer.byteLength(prefix)} bytes, ` +
        `${withoutKey ? 'OBJECT_KEY' : 'OBJECT_PREFIX'} never fits into the ${MAX_CUSTOM_METADATA_BYTES} bytes ` +
        'that the catalogue keeps of a segment; shorten key.prefix, or leave the field out of ' +
        'custom.metadata.fields.include',
    );
  }

  /** Bytes for the catalogue; `undefined` when it is to keep nothing. */
  encode(all: Required<CustomMetadataFields>): CustomMetadata | undefined {
    // The key follows from the metadata anyway; a copy must not be thrown away for its sake.
    const objectKey = this.#fits(all) ? all.objectKey : undefined;
    return encodeCustomMetadata(this.#chosen({ ...all, objectKey }));
  }

  #fits(all: CustomMetadataFields): boolean {
    const bytes = encodeCustomMetadata(this.#chosen(all));
    return bytes === undefined || bytes.byteLength <= MAX_CUSTOM_METADATA_BYTES;
  }

  #chosen(all: CustomMetadataFields): CustomMetadataFields {
    return {
      remoteSize: this.#fields.includes('REMOTE_SIZE') ? all.remoteSize : undefined,
      objectPrefix: this.#fields.includes('OBJECT_PREFIX') ? all.objectPrefix : undefined,
      objectKey: this.#fields.includes('OBJECT_KEY') ? all.objectKey : undefined,
    };
  }
}
