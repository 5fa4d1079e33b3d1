import { apiByKey } from './api-table.ts';
import { ByteReader } from './byte-reader.ts';
import { ProtocolError } from './errors.ts';
import { skipTaggedFields } from './schema/tagged-fields.ts';

/** What stands in front of every request. */
export interface RequestHeader {
  readonly apiKey: number;
  readonly apiVersion: number;
  /** Chosen by the client and echoed in the response; any 32-bit number. */
  readonly correlationId: number;
  readonly clientId: string | null;
  /** Offset of the body in the frame, in bytes. */
  readonly bodyOffset: number;
}

/**
 * Reads the header of a request. Unknown API keys and versions are no error here: the caller has to
 * decide about them, and needs the correlation id to answer. Of an unknown API the body's offset is
 * not certain, since its header may end with tagged fields.
 *
 * @param frame a request without its four size bytes
 * @throws MalformedMessageError
 */
export function decodeRequestHeader(frame: Buffer): RequestHeader {
  return readRequestHeader(new ByteReader(frame));
}

/**
 * Like {@link decodeRequestHeader}, with a reader at the start of a frame, which it leaves at the
 * start of the body.
 *
 * @throws MalformedMessageError
 */
export function readRequestHeader(reader: ByteReader): RequestHeader {
  try {
    const apiKey = reader.readInt16();
    const apiVersion = reader.readInt16();
    const correlationId = reader.readInt32();
    // The client id keeps its classic length in every version of the header.
    const clientId = reader.readNullableString();
    if (apiVersion >= (apiByKey(apiKey)?.flexibleFrom ?? Number.POSITIVE_INFINITY)) {
      skipTaggedFields(reader);
    }
    return { apiKey, apiVersion, correlationId, clientId, bodyOffset: reader.position };
  } catch (error) {
    throw error instanceof ProtocolError ? error.within('RequestHeader') : error;
  }
}
