/** How a check ended. */
export type Outcome = 'ok' | 'warn' | 'fail' | 'skip';

/** What one check found. */
export interface Finding {
  /** What was tried, in a few words. */
  readonly name: string;
  readonly outcome: Outcome;
  /** What was measured, what went wrong, or why it was not tried. */
  readonly detail: string;
  /** What to change, in plain words; `undefined` when there is nothing to do. */
  readonly remedy: string | undefined;
  /** Stable code of the error, where there was one. */
  readonly code: string | undefined;
  readonly ms: number;
}

/** A check that worked, with what it measured. */
export interface Success {
  readonly detail: string;
  /** Something that works, and should be looked at all the same. */
  readonly warning?: { readonly remedy: string } | undefined;
}

/** Why a check makes no sense here. */
export interface Skipped {
  readonly skipped: string;
}
