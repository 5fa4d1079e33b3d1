import type { ManualClock } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import type { AbortSources } from './abort-sources.ts';
import type { Chance } from './chance.ts';
import type { Findings } from './findings.ts';
import type { WaitLedger } from './wait-ledger.ts';

/** What all workloads of a run have in common. */
export interface SoakContext {
  readonly clock: ManualClock;
  readonly chance: Chance;
  readonly signals: AbortSources;
  readonly waits: WaitLedger;
  readonly findings: Findings;
  /** Shows the rates of all quotas, and the sensors that come and go. */
  readonly metrics: MetricsRegistry;
}

/** One package under load. */
export interface Workload {
  readonly name: string;
  /** One operation, chosen by chance; never waits. */
  step(): void;
  /** After a turn of the event loop: notes what does not add up. */
  audit(): void;
  /** Ends all that it holds, without closing anything, so that those who wait get on. */
  giveBack(): void;
  /** Bytes that are still out, when it ought to hold none any more; also of those closed before. */
  readonly outstandingBytes: number;
  /** In a few words what it did. */
  describe(): string;
  close(): Promise<void>;
}
