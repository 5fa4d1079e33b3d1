import type { MetricsRegistry } from '@logloft/metrics';
import type { RemoteQuotaStatus } from '@logloft/rlm-core';
import type { Broker, PartitionStatus, StartReport, WaitOptions } from '../broker-handle.ts';
import { BrokerError } from '../errors.ts';
import type { DescribedGroup } from '../group/admin-requests.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import type { GroupCondition } from '../group/group-waiters.ts';
import type { NodeIdentity } from '../node.ts';
import type { InitialTopic } from '../start-broker-options.ts';
import type { RemoteTier } from '../tiering/remote-tier.ts';
import type { Closers } from './closers.ts';
import type { Listeners } from './open-listeners.ts';
import type { Storage } from './open-storage.ts';

/** What a {@link RunningBroker} is made of. */
export interface BrokerParts {
  readonly node: NodeIdentity;
  readonly listeners: Listeners;
  readonly storage: Storage;
  readonly coordinator: GroupCoordinator;
  readonly remoteTier: RemoteTier | undefined;
  readonly metrics: MetricsRegistry;
  readonly directory: string | undefined;
  readonly startReport: StartReport;
  readonly closers: Closers;
}

/** A broker that serves. */
export class RunningBroker implements Broker {
  readonly #parts: BrokerParts;
  #closing: Promise<void> | undefined;

  constructor(parts: BrokerParts) {
    this.#parts = parts;
  }

  get host(): string {
    return this.#endpoint.host;
  }

  get port(): number {
    return this.#endpoint.port;
  }

  get bootstrapServers(): string {
    const { host, port } = this.#endpoint;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  get clusterId(): string {
    return this.#parts.node.clusterId;
  }

  get nodeId(): number {
    return this.#parts.node.nodeId;
  }

  get directory(): string | undefined {
    return this.#parts.directory;
  }

  get remoteStorageName(): string | undefined {
    return this.#parts.remoteTier?.storeName;
  }

  get metrics(): MetricsRegistry {
    return this.#parts.metrics;
  }

  get startReport(): StartReport {
    return this.#parts.startReport;
  }

  get isReady(): boolean {
    return this.#closing === undefined && this.#parts.coordinator.isReady;
  }

  get topics(): readonly string[] {
    return this.#parts.storage.topics.all().map(({ name }) => name);
  }

  async createTopic({ name, partitions = -1, configs = {} }: InitialTopic): Promise<void> {
    this.#mustBeOpen();
    const { topics } = this.#parts.storage;
    const overrides = new Map(Object.entries(configs));
    const made = await topics.create({ name, partitions, overrides });
    if (made.kind === 'refused') throw new BrokerError('LOGLOFT_BROKER_TOPIC', made.message);
  }

  async deleteTopic(name: string): Promise<void> {
    this.#mustBeOpen();
    const { topics } = this.#parts.storage;
    const topic = topics.byName(name);
    if (topic === undefined || topic.internal) {
      throw new BrokerError('LOGLOFT_BROKER_TOPIC', `There is no topic ${name} to delete.`);
    }
    await topics.delete(topic.topicId);
  }

  partitionStatus(topic: string, index: number): PartitionStatus | undefined {
    const partition = this.#parts.storage.topics.findPartition(topic, index);
    if (partition === undefined) return undefined;
    const { log } = partition;
    return {
      topic,
      partition: index,
      logStartOffset: log.logStartOffset,
      localLogStartOffset: log.localLogStartOffset,
      highWatermark: log.highWatermark,
      logEndOffset: log.logEndOffset,
      highestOffsetInRemoteStorage: log.highestOffsetInRemoteStorage,
      localBytes: log.sizeInBytes,
      localSegments: log.segmentCount,
      remote: partition.settings.tiered ? this.#parts.remoteTier?.statusOf(partition) : undefined,
    };
  }

  quotaStatus(): RemoteQuotaStatus | undefined {
    return this.#parts.remoteTier?.manager.quotas();
  }

  configValue(name: string): string | undefined {
    return this.#parts.storage.configs.broker.get(name)?.text ?? undefined;
  }

  waitForGroup(
    groupId: string,
    options: GroupCondition & WaitOptions = {},
  ): Promise<DescribedGroup> {
    return this.#parts.coordinator.waitForGroup(groupId, options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#parts.closers.close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #endpoint(): { readonly host: string; readonly port: number } {
    const { listeners } = this.#parts;
    return listeners.endpointOf(listeners.firstName);
  }

  #mustBeOpen(): void {
    if (this.#closing === undefined) return;
    throw new BrokerError('LOGLOFT_BROKER_CLOSED', 'The broker is closed');
  }
}
