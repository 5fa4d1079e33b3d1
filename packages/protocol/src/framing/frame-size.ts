import { FrameSizeError } from '../errors.ts';

/** How many bytes stand in front of every frame to say how long it is. */
export const FRAME_SIZE_BYTES = 4;

/**
 * Checks the size that was announced for a frame, before memory is taken for it.
 *
 * @param size the number in the four size bytes, signed
 * @param maxBytes the limit; Kafka's `socket.request.max.bytes`
 * @throws FrameSizeError when it is negative or above the limit; says so when it looks like a client
 *   that speaks TLS or HTTP
 */
export function checkFrameSize(size: number, maxBytes: number): void {
  if (size >= 0 && size <= maxBytes) return;
  const hint = foreignProtocol(size);
  throw new FrameSizeError(
    `expected a frame of 0 to ${maxBytes} bytes, ${size} were announced${hint}; the connection has to be closed`,
    size,
  );
}

function foreignProtocol(size: number): string {
  // A TLS handshake record begins with 0x16 0x03; an HTTP request with the letters of its method.
  if (size >>> 16 === 0x1603) return ', which is how TLS begins (is the client set to TLS?)';
  const text = [24, 16, 8, 0].map((shift) => String.fromCharCode((size >>> shift) & 0xff)).join('');
  if (/^[A-Z]{3}[A-Z ]$/.test(text)) return `, which is how HTTP begins ("${text}")`;
  return '';
}
