import type { MetricsRegistry } from '@logloft/metrics';
import type { RemoteLogStatus, RemoteQuotaStatus } from '@logloft/rlm-core';
import type { DescribedGroup } from './group/admin-requests.ts';
import type { GroupCondition } from './group/group-waiters.ts';
import type { InitialTopic } from './start-broker-options.ts';

/** Options of methods that wait. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** How one partition stands in both tiers. */
export interface PartitionStatus {
  readonly topic: string;
  readonly partition: number;
  readonly logStartOffset: number;
  readonly localLogStartOffset: number;
  readonly highWatermark: number;
  readonly logEndOffset: number;
  /** Last offset in the remote tier, -1 for none. */
  readonly highestOffsetInRemoteStorage: number;
  /** Bytes of the local segments. */
  readonly localBytes: number;
  readonly localSegments: number;
  /** The tiers segment by segment; `undefined` for a topic that is not tiered. */
  readonly remote: RemoteLogStatus | undefined;
}

/** What was set and has no effect, what was recovered: told once, at start. */
export interface StartReport {
  /** Ms from the call until the first request was accepted. */
  readonly readyMs: number;
  readonly warnings: readonly string[];
}

/** A running broker. */
export interface Broker extends AsyncDisposable {
  /** `host:port` as clients are told, for `bootstrap.servers`. */
  readonly bootstrapServers: string;
  readonly host: string;
  readonly port: number;
  readonly clusterId: string;
  readonly nodeId: number;
  /** Where the logs are, `undefined` in memory. */
  readonly directory: string | undefined;
  /** Name of the remote store, `undefined` without a remote tier. */
  readonly remoteStorageName: string | undefined;
  readonly metrics: MetricsRegistry;
  readonly startReport: StartReport;
  /** Whether requests are served: everything is loaded, and nothing is being closed. */
  readonly isReady: boolean;
  /** Names of all topics, internal ones included. */
  readonly topics: readonly string[];

  /**
   * Makes a topic.
   *
   * @throws BrokerError `LOGLOFT_BROKER_TOPIC` when it exists or cannot be made; the message says why
   */
  createTopic(topic: InitialTopic): Promise<void>;
  /** @throws BrokerError `LOGLOFT_BROKER_TOPIC` when there is no such topic */
  deleteTopic(name: string): Promise<void>;
  /** How a partition stands; `undefined` when there is none. */
  partitionStatus(topic: string, partition: number): PartitionStatus | undefined;
  /** How the quotas of the remote tier stand; `undefined` without one. */
  quotaStatus(): RemoteQuotaStatus | undefined;
  /** What counts for a broker property, as Kafka prints it; `undefined` for an unknown or unset one. */
  configValue(name: string): string | undefined;
  /**
   * Waits until a group has members and is in a state, by default until it is stable and has one.
   *
   * @throws the reason of the signal
   */
  waitForGroup(groupId: string, options?: GroupCondition & WaitOptions): Promise<DescribedGroup>;
  /** Serves no more, finishes what is under way, makes everything durable. Idempotent. */
  close(): Promise<void>;
}
