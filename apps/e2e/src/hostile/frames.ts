import { type ApiDescription, encodeRequest } from '@logloft/protocol';

const LENGTH_BYTES = 4;

/** A whole request frame, with its length. */
export function requestFrame<Request extends object>(
  api: ApiDescription<Request>,
  { version, correlationId }: { readonly version: number; readonly correlationId: number },
  body: Request,
): Buffer {
  const envelope = { version, correlationId, clientId: 'hostile' };
  return Buffer.concat(encodeRequest(api, envelope, body).chunks);
}

/** A frame around any bytes. */
export function frameOf(...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([int32(body.length), body]);
}

/** A frame without its length. */
export function bodyOf(frame: Buffer): Buffer {
  return frame.subarray(LENGTH_BYTES);
}

/** A request header of the first version that has a client id, then anything. */
export function headerOf({
  apiKey,
  version,
  clientId = 'hostile',
}: {
  readonly apiKey: number;
  readonly version: number;
  readonly clientId?: string;
}): Buffer {
  const name = Buffer.from(clientId);
  const header = Buffer.alloc(10);
  header.writeInt16BE(apiKey, 0);
  header.writeInt16BE(version, 2);
  header.writeInt32BE(1, 4);
  header.writeInt16BE(name.length, 8);
  return Buffer.concat([header, name]);
}

/** Big-endian, 4 bytes. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeInt32BE(value);
  return bytes;
}
