import { type Summary, summarize } from './stats.ts';

/** What one run of a contender showed, by measure (`MB/s`, `ns`, `CPU ms/GB`, …). */
export type Measured = Readonly<Record<string, number>>;

/** One thing to be measured against others of the same run. */
export interface Contender {
  readonly name: string;
  run(): Promise<Measured> | Measured;
}

/** What all contenders showed over all rounds. */
export class RoundResults {
  readonly #rounds = new Map<string, Measured[]>();

  /** Adds the next round of a contender. */
  add(name: string, measured: Measured): void {
    const rounds = this.#rounds.get(name) ?? [];
    this.#rounds.set(name, rounds);
    rounds.push(measured);
  }

  /** One measure of one contender, round by round; empty when it was not measured. */
  values(name: string, measure: string): number[] {
    const rounds = this.#rounds.get(name) ?? [];
    return rounds.map((round) => round[measure]).filter((value) => value !== undefined);
  }

  /** The spread of one measure of one contender. */
  summary(name: string, measure: string): Summary {
    return summarize(this.values(name, measure));
  }

  /** The median of one measure of one contender; NaN when it was not measured. */
  median(name: string, measure: string): number {
    return this.summary(name, measure).median;
  }

  /**
   * `a` over `b`, round by round, since both of a round met the same mood of the machine; then the
   * median of that.
   */
  ratio(a: string, b: string, measure: string): number {
    const of = this.values(b, measure);
    const ratios = this.values(a, measure).map((value, i) => value / (of[i] ?? Number.NaN));
    return summarize(ratios).median;
  }
}

/**
 * Runs all contenders in turn, round after round, so that a quiet or a busy minute of the machine
 * meets all of them; one round before that is not counted. Every other round goes backwards, so
 * that nobody always comes first.
 */
export async function interleave(
  contenders: readonly Contender[],
  rounds: number,
): Promise<RoundResults> {
  const results = new RoundResults();
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const contender of order) {
      const measured = await contender.run();
      if (round > 0) results.add(contender.name, measured);
    }
  }
  return results;
}

/** Nanoseconds a call, over enough calls to fill about `targetMs`. */
export function nanosecondsPerCall(call: () => void, targetMs: number): number {
  let calls = 1;
  for (;;) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < calls; i += 1) call();
    const elapsed = Number(process.hrtime.bigint() - start);
    if (elapsed >= targetMs * 1e6) return elapsed / calls;
    calls = Math.max(calls * 2, Math.ceil((calls * targetMs * 1.2e6) / Math.max(elapsed, 1)));
  }
}
