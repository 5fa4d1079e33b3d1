import { ByteReader } from './byte-reader.ts';
import { ByteWriter, type EncodedFrame } from './byte-writer.ts';
import type { ApiDescription } from './schema/api.ts';
import { skipTaggedFields } from './schema/tagged-fields.ts';

const API_VERSIONS_KEY = 18;

/** A response and the correlation id of the request that it answers. */
export interface DecodedResponse<Response> {
  readonly correlationId: number;
  readonly body: Response;
}

/**
 * Encoding is synchronous and a finished frame belongs to its caller, so one writer serves all: small
 * responses share its slab instead of taking memory each.
 */
const shared: ByteWriter = new ByteWriter();

/**
 * Makes a whole response frame, size bytes and header included. Record data of 1 KiB and more is
 * among its chunks as it was given: it must stay unchanged until the chunks have been sent.
 *
 * @throws UnencodableValueError
 * @throws UnsupportedVersionError
 */
export function encodeResponse<Response extends object>(
  api: ApiDescription<object, Response>,
  version: number,
  correlationId: number,
  body: Response,
): EncodedFrame {
  shared.reset();
  shared.writeInt32(0);
  shared.writeInt32(correlationId);
  if (hasTaggedHeader(api, version)) shared.writeUnsignedVarint(0);
  api.response.encode(shared, version, body);
  return shared.finishSized();
}

/**
 * Reads a whole response; no byte of the frame may be left over. Bytes and records in it are views of
 * the frame.
 *
 * @param frame a response without its four size bytes
 * @throws MalformedMessageError
 * @throws UnsupportedVersionError
 */
export function decodeResponse<Response extends object>(
  api: ApiDescription<object, Response>,
  version: number,
  frame: Buffer,
): DecodedResponse<Response> {
  const reader = new ByteReader(frame);
  const correlationId = reader.readInt32();
  if (hasTaggedHeader(api, version)) skipTaggedFields(reader);
  const body = api.response.decode(reader, version);
  if (reader.remaining > 0) {
    throw reader
      .malformed(`${reader.remaining} bytes are left over behind the message`)
      .within(`${api.name}Response v${version}`);
  }
  return { correlationId, body };
}

/**
 * ApiVersions keeps the plain header in every version, since a client reads that response before it
 * knows what the broker can do (KIP-511).
 */
function hasTaggedHeader(api: ApiDescription<object, object>, version: number): boolean {
  return version >= api.flexibleFrom && api.key !== API_VERSIONS_KEY;
}
