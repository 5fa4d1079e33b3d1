import { APIS, ByteReader, ByteWriter } from '../src/index.ts';
import type { MessageCodec } from '../src/schema/message-codec.ts';

/** A message in one of its versions. */
export interface VersionedMessage {
  readonly codec: MessageCodec<object>;
  readonly version: number;
  readonly flexible: boolean;
}

/** The codecs of all requests and responses. */
export function everyCodec(): readonly MessageCodec<object>[] {
  return APIS.flatMap((api) => [api.request, api.response]);
}

/** The versions of one message. */
export function versionsOf(codec: MessageCodec<object>): readonly VersionedMessage[] {
  const { min, max } = codec.versions;
  return Array.from({ length: max - min + 1 }, (_, index) => {
    const version = min + index;
    return { codec, version, flexible: version >= codec.flexibleFrom };
  });
}

/** The body of a message as bytes. */
export function encodeBody(codec: MessageCodec<object>, version: number, message: object): Buffer {
  const writer = new ByteWriter();
  codec.encode(writer, version, message);
  const frame = writer.finish();
  const bytes = Buffer.concat(frame.chunks);
  if (bytes.length !== frame.bytes) throw new Error('the sum of the chunks is not what was said');
  return bytes;
}

/** The message in `bytes`, and how many bytes it left over. */
export function decodeBody(
  codec: MessageCodec<object>,
  version: number,
  bytes: Buffer,
): { message: object; remaining: number } {
  const reader = new ByteReader(bytes);
  const message = codec.decode(reader, version);
  return { message, remaining: reader.remaining };
}
