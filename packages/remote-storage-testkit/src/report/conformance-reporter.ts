import type { CaseOutcome, CaseReport, ConformanceReport } from './conformance-report.ts';

/** What became of a case that was run. */
export interface FinishedCase {
  readonly outcome: Exclude<CaseOutcome, 'not-run'>;
  readonly reason?: string | undefined;
  readonly durationMs: number;
}

/** Gathers what becomes of the cases of a suite. */
export class ConformanceReporter {
  readonly #name: string;
  readonly #contract: ConformanceReport['contract'];
  readonly #cases: CaseReport[] = [];
  #capabilities: ConformanceReport['capabilities'];

  constructor(name: string, contract: ConformanceReport['contract']) {
    this.#name = name;
    this.#contract = contract;
  }

  /** Adds a case that was not run yet, and gives its place. */
  add(group: string, name: string): number {
    const outcome = 'not-run';
    return this.#cases.push({ group, name, outcome, reason: undefined, durationMs: 0 }) - 1;
  }

  /** Keeps what the subject says of itself. */
  meet(capabilities: ConformanceReport['capabilities']): void {
    this.#capabilities ??= capabilities;
  }

  /** Notes what became of the case at a place; when it is run again, the last time counts. */
  finish(place: number, finished: FinishedCase): void {
    const known = this.#cases[place];
    if (known === undefined) throw new RangeError(`There is no case at place ${place}`);
    this.#cases[place] = { ...known, reason: undefined, ...finished };
  }

  /** Whether every case was run. */
  get isComplete(): boolean {
    return this.#cases.every(({ outcome }) => outcome !== 'not-run');
  }

  /** What is known by now. */
  report(): ConformanceReport {
    return {
      name: this.#name,
      contract: this.#contract,
      capabilities: this.#capabilities,
      cases: [...this.#cases],
    };
  }
}
