const SLOTS = 1024;
const LONGEST = 48;

/**
 * Turns ASCII bytes into strings and remembers the recent ones, since the same topic names, client
 * ids and member ids arrive in request after request: a hit costs a fifth of decoding, and equal
 * names become one string. Memory is bounded: one string of at most 48 characters in each of 1,024
 * slots; a newcomer replaces what is in its slot.
 *
 * Hot path: no allocation on a hit.
 */
export class StringCache {
  readonly #slots: string[] = new Array<string>(SLOTS).fill('');

  /** The text of `length` UTF-8 bytes of `buffer` from `start`; the caller has checked the range. */
  decode(buffer: Buffer, start: number, length: number): string {
    if (length === 0) return '';
    if (length > LONGEST) return buffer.toString('utf8', start, start + length);
    let hash = length;
    let seen = 0;
    for (let at = start; at < start + length; at++) {
      const byte = buffer[at] ?? 0;
      seen |= byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    if (seen > 0x7f) return buffer.toString('utf8', start, start + length);
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const known = this.#slots[slot] ?? '';
    if (isSame(known, buffer, start, length)) return known;
    const text = buffer.toString('latin1', start, start + length);
    this.#slots[slot] = text;
    return text;
  }
}

function isSame(text: string, buffer: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (text.charCodeAt(index) !== buffer[start + index]) return false;
  }
  return true;
}
