import type { RandomSource } from '@logloft/clock';

/** The UUID that means "none", in Kafka's text form. */
export const ZERO_UUID = 'AAAAAAAAAAAAAAAAAAAAAA';

/**
 * A random UUID (version 4) in Kafka's text form, 22 characters of base64url. Never one that starts
 * with a dash, as in Kafka: command line tools would take it for an option.
 */
export function randomUuid(random: RandomSource): string {
  for (;;) {
    const bytes = random.fill(Buffer.alloc(16));
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    const text = bytes.toString('base64url');
    if (!text.startsWith('-')) return text;
  }
}
