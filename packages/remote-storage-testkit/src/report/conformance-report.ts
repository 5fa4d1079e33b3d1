import type { ObjectStoreCapabilities, RemoteStorageCapabilities } from '@logloft/remote-storage';

/** What became of a case. */
export type CaseOutcome =
  /** What the sentence says holds. */
  | 'proved'
  | 'failed'
  /** It makes no sense for this subject; what cannot be done was checked to be refused. */
  | 'skipped'
  /** The runner left it out, by a filter for example. */
  | 'not-run';

/** One sentence, and what became of it. */
export interface CaseReport {
  /** Heading that the case stands under. */
  readonly group: string;
  /** The sentence. */
  readonly name: string;
  readonly outcome: CaseOutcome;
  /** Why it was skipped, or failed. */
  readonly reason: string | undefined;
  /** Ms of real time that it took. */
  readonly durationMs: number;
}

/** What a suite proved of a store or a manager. */
export interface ConformanceReport {
  /** Name that the suite was given. */
  readonly name: string;
  readonly contract: 'object store' | 'remote storage manager';
  /** What the subject says of itself; `undefined` when no case was run. */
  readonly capabilities: ObjectStoreCapabilities | RemoteStorageCapabilities | undefined;
  readonly cases: readonly CaseReport[];
}

/** How many cases came to each outcome. */
export function countOutcomes(report: ConformanceReport): Readonly<Record<CaseOutcome, number>> {
  const counts: Record<CaseOutcome, number> = { proved: 0, failed: 0, skipped: 0, 'not-run': 0 };
  for (const { outcome } of report.cases) counts[outcome] += 1;
  return counts;
}
