import type { BrokerProcess } from '../harness/broker-process.ts';
import type { CheckRun } from '../harness/run-checks.ts';
import type { Client } from './client.ts';

/** What the checks of one client work with. */
export interface ClientScene extends CheckRun {
  readonly broker: BrokerProcess;
  readonly client: Client;
  /** Lines of real text. */
  readonly lines: readonly string[];
  /** Stands before the names of topics and groups, so that clients do not meet. */
  readonly prefix: string;
}
