import type { RandomSource } from '@logloft/clock';
import type { Uuid } from '@logloft/remote-storage';
import { RemoteLogError } from '../errors.ts';

/** Bytes of a UUID. */
export const UUID_BYTES = 16;

/** The 16 bytes of a UUID in its text form. @throws RemoteLogError when `text` is not one */
export function uuidToBytes(text: Uuid): Uint8Array {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== UUID_BYTES) {
    throw new RemoteLogError(
      'LOGLOFT_RLM_INVALID_EVENT',
      `A UUID is 16 bytes as 22 characters of base64url, got ${JSON.stringify(text)}`,
    );
  }
  return bytes;
}

/** The text form of 16 bytes. */
export function bytesToUuid(bytes: Uint8Array): Uuid {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/** A random UUID of version 4, as Kafka makes them for segments; never one that starts with `-`. */
export function randomUuid(random: RandomSource): Uuid {
  for (;;) {
    const bytes = random.fill(new Uint8Array(UUID_BYTES));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const text = bytesToUuid(bytes);
    // A leading dash reads as an option on a command line.
    if (!text.startsWith('-')) return text;
  }
}
