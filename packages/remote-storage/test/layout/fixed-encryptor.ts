import { generateKeyPairSync } from 'node:crypto';
import type { SegmentSource } from '../../src/index.ts';
import type { EncryptionKeyPair } from '../../src/transform/key-pair.ts';
import { KeyRing } from '../../src/transform/key-ring.ts';
import { SegmentEncryptor } from '../../src/transform/segment-encryptor.ts';

/** Two pairs, made once: that takes its time. */
export const KEY_PAIRS: readonly [EncryptionKeyPair, EncryptionKeyPair] = [
  { id: 'k1', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) },
  { id: 'k2', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) },
];

/** An encryptor whose key, AAD and vectors are given: chance is replayed in the order it is drawn. */
export function fixedEncryptor(what: {
  readonly dataKey: Uint8Array;
  readonly aad: Uint8Array;
  readonly iv: (chunk: number) => Uint8Array;
}): SegmentEncryptor {
  const draws = [what.dataKey, what.aad];
  const fill = <T extends Uint8Array>(bytes: T): T => {
    const draw = draws.shift();
    if (draw !== undefined) bytes.set(draw);
    else for (let at = 0; at < bytes.byteLength; at += 12) bytes.set(what.iv(at / 12), at);
    return bytes;
  };
  const keyRing = new KeyRing({ keyPairs: [KEY_PAIRS[0]], activeKeyPairId: 'k1' });
  return new SegmentEncryptor(keyRing, { nextUint32: () => 0, fill });
}

/** All bytes of a source, each piece copied before the next is asked for. */
export async function allOf(source: SegmentSource, start = 0, end?: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source.read({ start, end })) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
