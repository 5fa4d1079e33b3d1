import { type RandomSource, seededRandom } from '@logloft/clock';

/** The choices of a run. Leaner than even to the last bit: many are made an operation. */
export class Chance {
  readonly #random: RandomSource;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** An integer in [0, `bound`). */
  below(bound: number): number {
    return Math.floor((this.#random.nextUint32() / 2 ** 32) * bound);
  }

  /** True in one of `count` cases. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** Takes one out of a list, whose order does not matter. */
  takeFrom<T>(list: T[]): T | undefined {
    const index = this.below(list.length);
    const taken = list[index];
    const last = list.pop();
    if (last !== undefined && index < list.length) list[index] = last;
    return taken;
  }
}
