import { printAddress } from './command-line/address.ts';

/** What a port is for, and whose it is. */
export interface TakenPort {
  readonly host: string;
  readonly port: number;
  readonly use: 'kafka' | 'http';
  /** The program that has it, where the system tells. */
  readonly owner?: string | undefined;
  readonly cause?: unknown;
}

const WAYS_OUT = {
  kafka: 'choose another port with --port PORT; --port 0 picks a free one',
  http: 'choose another with --http HOST:PORT, or do without: --http off',
} as const;

/** A port is in use: the message says which, by whom where known, and the ways out. */
export class PortTakenError extends Error {
  readonly code = 'LOGLOFT_PORT_TAKEN';
  readonly taken: TakenPort;

  constructor(taken: TakenPort) {
    const { host, port, use, owner, cause } = taken;
    const what = use === 'kafka' ? 'The Kafka port' : 'The HTTP port';
    const by = owner === undefined ? 'by another program' : `by ${owner}`;
    super(`${what} ${printAddress(host, port)} is taken ${by}. Stop that, or ${WAYS_OUT[use]}.`, {
      cause,
    });
    this.name = 'PortTakenError';
    this.taken = taken;
  }
}
