import type { Broker } from '@logloft/broker';

/** What runs where, once it does. */
export interface ReadyReport {
  /** `host:port` for clients. */
  readonly kafka: string;
  /** Base URL of health checks and metrics, or null. */
  readonly http: string | null;
  readonly nodeId: number;
  readonly clusterId: string;
  /** Where logs are; null in memory. */
  readonly directory: string | null;
  /** Whether that is removed at the end. */
  readonly temporary: boolean;
  /** Name of the store, or null without a remote tier. */
  readonly remoteStorage: string | null;
  /** Ms from the start of the broker until it served. */
  readonly readyMs: number;
  readonly pid: number;
  readonly version: string;
}

/** What the report knows from elsewhere than the broker. */
export interface ReadySurroundings {
  readonly http: string | undefined;
  readonly temporary: boolean;
  readonly version: string;
}

/** Gathers the report from a broker that serves. */
export function readyReport(broker: Broker, surroundings: ReadySurroundings): ReadyReport {
  return {
    kafka: broker.bootstrapServers,
    http: surroundings.http ?? null,
    nodeId: broker.nodeId,
    clusterId: broker.clusterId,
    directory: broker.directory ?? null,
    temporary: surroundings.temporary,
    remoteStorage: broker.remoteStorageName ?? null,
    readyMs: Math.round(broker.startReport.readyMs),
    pid: process.pid,
    version: surroundings.version,
  };
}
