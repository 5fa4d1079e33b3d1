import { ByteReader } from './byte-reader.ts';
import { ByteWriter, type EncodedFrame } from './byte-writer.ts';
import type { ApiDescription } from './schema/api.ts';

/** What {@link encodeRequest} needs besides the body. */
export interface RequestEnvelope {
  readonly version: number;
  readonly correlationId: number;
  /** Default: null. */
  readonly clientId?: string | null | undefined;
}

/**
 * Reads the body of a request; no byte of the frame may be left over. Bytes and records in it are
 * views of the frame.
 *
 * @param bodyOffset where the body begins, from the request's header
 * @throws MalformedMessageError
 * @throws UnsupportedVersionError
 */
export function decodeRequest<Request extends object>(
  api: ApiDescription<Request>,
  version: number,
  frame: Buffer,
  bodyOffset: number,
): Request {
  const reader = new ByteReader(frame);
  reader.reset(frame, bodyOffset);
  const request = api.request.decode(reader, version);
  if (reader.remaining > 0) {
    throw reader
      .malformed(`${reader.remaining} bytes are left over behind the message`)
      .within(`${api.name}Request v${version}`);
  }
  return request;
}

/**
 * Makes a whole request frame, size bytes and header included.
 *
 * @throws UnencodableValueError
 * @throws UnsupportedVersionError
 */
export function encodeRequest<Request extends object>(
  api: ApiDescription<Request>,
  envelope: RequestEnvelope,
  body: Request,
): EncodedFrame {
  const { version, correlationId, clientId = null } = envelope;
  const writer = new ByteWriter();
  writer.writeInt32(0);
  writer.writeInt16(api.key);
  writer.writeInt16(version);
  writer.writeInt32(correlationId);
  writer.writeNullableString(clientId);
  if (version >= api.flexibleFrom) writer.writeUnsignedVarint(0);
  api.request.encode(writer, version, body);
  return writer.finishSized();
}
