import { inspect } from 'node:util';
import { ManualClock, seededRandom, systemClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import {
  CIPHER_ADDED_BYTES,
  CIPHER_SLICE_BYTES,
  SegmentCipher,
} from '../../src/transform/segment-cipher.ts';

const random = seededRandom(1);
const bytes = (length: number): Uint8Array => random.fill(new Uint8Array(length));
const KEY = bytes(32);
const AAD = bytes(32);
const IV = bytes(12);
const corrupt = { kind: 'corrupt' };

function seal(cipher: SegmentCipher, plain: Uint8Array): Buffer {
  const encryption = cipher.encrypt(IV);
  const parts: Uint8Array[] = [IV];
  for (let at = 0; at < plain.byteLength; at += CIPHER_SLICE_BYTES) {
    parts.push(encryption.update(plain.subarray(at, at + CIPHER_SLICE_BYTES)));
  }
  return Buffer.concat([...parts, encryption.end()]);
}

test.each([0, 1, 1_000, CIPHER_SLICE_BYTES, CIPHER_SLICE_BYTES + 1, 1_000_003])(
  '%i bytes come back, and take 28 more in between',
  async (length) => {
    const plain = bytes(length);
    const cipher = new SegmentCipher(KEY, AAD);
    const stored = seal(cipher, plain);
    expect(stored).toHaveLength(length + CIPHER_ADDED_BYTES);
    expect(Buffer.compare(await cipher.decrypt(stored, systemClock), plain)).toBe(0);
  },
);

test('a change of any byte, of the key or of the AAD is found', async () => {
  const cipher = new SegmentCipher(KEY, AAD);
  const stored = seal(cipher, bytes(100));
  for (let at = 0; at < stored.byteLength; at += 1) {
    const damaged = Uint8Array.from(stored);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    await expect(cipher.decrypt(damaged, systemClock)).rejects.toMatchObject(corrupt);
  }
  const otherKey = new SegmentCipher(bytes(32), AAD);
  await expect(otherKey.decrypt(stored, systemClock)).rejects.toMatchObject(corrupt);
  const otherAad = new SegmentCipher(KEY, bytes(32));
  await expect(otherAad.decrypt(stored, systemClock)).rejects.toMatchObject(corrupt);
});

test('a chunk cut to any length is found', async () => {
  const cipher = new SegmentCipher(KEY, AAD);
  const stored = seal(cipher, bytes(10));
  for (let length = 0; length < stored.byteLength; length += 1) {
    const cut = stored.subarray(0, length);
    await expect(cipher.decrypt(cut, systemClock)).rejects.toMatchObject(corrupt);
  }
});

test('a large chunk is decrypted one slice a turn of the event loop', async () => {
  const plain = bytes(3 * CIPHER_SLICE_BYTES + 1);
  const cipher = new SegmentCipher(KEY, AAD);
  const clock = new ManualClock();
  let opened: Uint8Array | undefined;
  const opening = cipher.decrypt(seal(cipher, plain), clock).then((result) => {
    opened = result;
  });
  for (let turn = 0; turn < 3; turn += 1) {
    expect(opened).toBeUndefined();
    expect(clock.pendingTimers).toBe(1);
    clock.advance(0);
    await Promise.resolve();
  }
  await opening;
  expect(Buffer.compare(opened ?? new Uint8Array(0), plain)).toBe(0);
});

test('neither a cipher nor what it throws shows the key', async () => {
  const cipher = new SegmentCipher(KEY, AAD);
  const error = await cipher.decrypt(bytes(60), systemClock).catch((thrown: unknown) => thrown);
  const shown = inspect([cipher, error], { depth: 10, showHidden: true });
  for (const form of ['hex', 'base64'] as const) {
    expect(shown).not.toContain(Buffer.from(KEY).toString(form).slice(0, 12));
  }
});
