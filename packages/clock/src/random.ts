import { randomFillSync } from 'node:crypto';

/** Where a component gets chance from: identifiers, jitter, the choices of a simulation. */
export interface RandomSource {
  /** A uniformly distributed integer in [0, 2^32). */
  nextUint32(): number;

  /** Fills all of `bytes`, and returns it. */
  fill<T extends Uint8Array>(bytes: T): T;
}

/** Cryptographically strong randomness of the operating system. */
export const systemRandom: RandomSource = Object.freeze({
  nextUint32(): number {
    return randomFillSync(new Uint32Array(1))[0] ?? 0;
  },
  fill<T extends Uint8Array>(bytes: T): T {
    randomFillSync(bytes);
    return bytes;
  },
});

/**
 * A generator (xoshiro128**, seeded by splitmix32) whose sequence depends on `seed` alone: the same
 * on every machine and every version, so that a printed seed replays a failure. Not for secrets.
 *
 * @param seed any finite number; its integer part modulo 2^32 counts
 */
export function seededRandom(seed: number): RandomSource {
  let mix = seed | 0;
  const next = (): number => {
    mix = (mix + 0x9e3779b9) | 0;
    let z = mix ^ (mix >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return z ^ (z >>> 15);
  };
  let a = next();
  let b = next();
  let c = next();
  let d = next();

  const nextUint32 = (): number => {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = (d << 11) | (d >>> 21);
    return result;
  };

  return {
    nextUint32,
    fill<T extends Uint8Array>(bytes: T): T {
      for (let at = 0; at < bytes.length; at += 4) {
        const word = nextUint32();
        for (let i = 0; i < 4 && at + i < bytes.length; i += 1) bytes[at + i] = word >>> (8 * i);
      }
      return bytes;
    },
  };
}

/**
 * A uniformly distributed integer in [0, `bound`), without the bias of a plain remainder.
 *
 * @param bound an integer in [1, 2^32]
 * @throws RangeError when `bound` is outside that range
 */
export function randomBelow(random: RandomSource, bound: number): number {
  if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** 32) {
    throw new RangeError(`randomBelow takes an integer in [1, 2^32], got ${bound}`);
  }
  const limit = 2 ** 32 - (2 ** 32 % bound);
  for (;;) {
    const value = random.nextUint32();
    if (value < limit) return value % bound;
  }
}
