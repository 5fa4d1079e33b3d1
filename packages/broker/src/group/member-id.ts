import type { RandomSource } from '@logloft/clock';

/** Long enough to recognise a client by; a client id may be as long as a frame. */
const MAX_PREFIX_CHARACTERS = 255;

/**
 * Makes the id of a new member: what it is known by, and a random UUID.
 *
 * @param prefix the client id, or the instance id of a static member
 */
export function newMemberId(prefix: string, random: RandomSource): string {
  const bytes = random.fill(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  const parts = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const;
  const uuid = parts.map(([start, end]) => hex.slice(start, end)).join('-');
  return `${prefix.slice(0, MAX_PREFIX_CHARACTERS).toWellFormed()}-${uuid}`;
}
