import type { ConformanceReport } from '../report/conformance-report.ts';

/** What both suites are told. */
export interface ConformanceOptions {
  /** How the suite is called, for example the store's name. */
  readonly name: string;
  /** Seed of all bytes and choices. Default 1. */
  readonly seed?: number | undefined;
  /** Ms of real time after which a case counts as hanging. Default 30,000. */
  readonly caseTimeoutMs?: number | undefined;
  /**
   * Given the report when all cases were run, or when their `describe` ends, where the runner tells.
   * Default: what was not proved, and the counts, are written to the standard output.
   */
  readonly onReport?: ((report: ConformanceReport) => void) | undefined;
}
