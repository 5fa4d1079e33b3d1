import { ABORT_REASON } from './abort-sources.ts';
import type { Findings } from './findings.ts';

/** How a wait may end, besides being granted: by code of the error. */
const EXPECTED: ReadonlySet<string> = new Set([
  'aborted',
  'LOGLOFT_POOL_EXHAUSTED',
  'LOGLOFT_POOL_TOO_MANY_WAITERS',
  'LOGLOFT_POOL_CLOSED',
  'LOGLOFT_ACCUMULATOR_CLOSED',
  'LOGLOFT_ACCUMULATOR_ABORTED',
  'LOGLOFT_ACCUMULATOR_DELIVERY_TIMEOUT',
  'LOGLOFT_QUOTA_QUEUE_FULL',
  'LOGLOFT_QUOTA_TIMEOUT',
  'LOGLOFT_QUOTA_CLOSED',
]);

/** Every promise that was waited for, and how it ended. */
export class WaitLedger {
  readonly #findings: Findings;
  readonly #outcomes = new Map<string, number>();
  #started = 0;
  #settled = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  get started(): number {
    return this.#started;
  }

  /** Waits that have not ended. */
  get pending(): number {
    return this.#started - this.#settled;
  }

  /** How often waits ended so. */
  count(outcome: string): number {
    return this.#outcomes.get(outcome) ?? 0;
  }

  /** Counts a wait, and its end; hands on what was granted. */
  watch<T>(promise: Promise<T>, granted: (value: T) => void): void {
    this.#started += 1;
    let hasSettled = false;
    const settle = (outcome: string): void => {
      if (hasSettled) this.#findings.note('waits', `a wait ended again: ${outcome}`);
      hasSettled = true;
      this.#settled += 1;
      this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    };
    promise.then(
      (value) => {
        settle('granted');
        granted(value);
      },
      (error: unknown) => settle(this.#outcomeOf(error)),
    );
  }

  /** All outcomes with their counts, in one line. */
  describe(): string {
    const parts = [...this.#outcomes].sort(([, a], [, b]) => b - a);
    return parts.map(([name, count]) => `${name.replace('LOGLOFT_', '')} ${count}`).join(', ');
  }

  #outcomeOf(error: unknown): string {
    if (error === ABORT_REASON) return 'aborted';
    if (error === DELIVERY_FAILURE) return 'failed';
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    if (!EXPECTED.has(code)) this.#findings.note('waits', `a wait ended by ${String(error)}`);
    return code;
  }
}

/** Why a batch of the soak fails. */
export const DELIVERY_FAILURE: Error = new Error('failed by the soak');
