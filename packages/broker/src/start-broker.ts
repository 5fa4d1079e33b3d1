import { systemClock, systemRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { crc32cImplementation } from '@logloft/records';
import type { Broker } from './broker-handle.ts';
import { Router } from './dispatch/router.ts';
import { noRemoteReads } from './fetch/remote-reads.ts';
import { silentLogger } from './logger.ts';
import { readsIntoBuffers } from './network/socket-reader.ts';
import type { NodeIdentity } from './node.ts';
import { noRemoteOffsets } from './offsets/remote-offsets.ts';
import { DeadlineQueue } from './purgatory/deadline-queue.ts';
import { Closers } from './start/closers.ts';
import { createHandlers } from './start/create-handlers.ts';
import { createMemoryPools } from './start/memory-pools.ts';
import { openCoordinator } from './start/open-coordinator.ts';
import { Listeners } from './start/open-listeners.ts';
import type { openRemoteTier as OpenRemoteTier } from './start/open-remote-tier.ts';
import { openStorage, type Storage, type Surroundings } from './start/open-storage.ts';
import { RunningBroker } from './start/running-broker.ts';
import { resolveSettings, type Settings } from './start/settings.ts';
import { goWithoutRemoteTier } from './start/without-remote-tier.ts';
import type { StartBrokerOptions } from './start-broker-options.ts';
import { BrokerStatistics } from './statistics/broker-statistics.ts';
import { registerStatistics } from './statistics/register-statistics.ts';
import type { RemoteTier } from './tiering/remote-tier.ts';

/**
 * Starts a broker that unmodified Kafka clients can talk to. When it resolves everything is loaded,
 * and the first produce request will succeed. Several can run in one process.
 *
 * @throws ConfigError for a property that is unknown or out of range
 * @throws ListenError when an address cannot be bound
 * @throws BrokerError when an option contradicts the configuration, the directory cannot be used, the
 *   plugin cannot be loaded or an initial topic cannot be made
 */
export async function startBroker(options: StartBrokerOptions = {}): Promise<Broker> {
  const clock = options.clock ?? systemClock;
  const startedMs = clock.monotonic();
  const surroundings: Surroundings = {
    clock,
    random: options.random ?? systemRandom,
    logger: options.logger ?? silentLogger,
  };
  const settings = resolveSettings(options);
  for (const warning of settings.config.warnings) surroundings.logger.warn(warning);
  const closers = new Closers();
  try {
    const broker = await open(settings, { options, surroundings, closers, startedMs });
    for (const topic of options.topics ?? []) {
      if (!broker.topics.includes(topic.name)) await broker.createTopic(topic);
    }
    return broker;
  } catch (error) {
    await closers.close().catch((closeError: unknown) => {
      surroundings.logger.error('Cleaning up after a failed start failed, too', {
        error: closeError,
      });
    });
    throw error;
  }
}

interface Start {
  readonly options: StartBrokerOptions;
  readonly surroundings: Surroundings;
  readonly closers: Closers;
  readonly startedMs: number;
}

async function open(settings: Settings, start: Start): Promise<RunningBroker> {
  const { options, surroundings, closers, startedMs } = start;
  const { clock, logger } = surroundings;
  const metrics = options.metrics ?? new MetricsRegistry({ clock });
  const storage = await openStorage(settings, surroundings, closers);
  const { cluster, configs, topics, logs } = storage;
  const queuedBytes = configs.values.number('queued.max.request.bytes');
  const pools = createMemoryPools(queuedBytes, { clock, logger, metrics });
  closers.add(pools, async (opened) => await opened[Symbol.asyncDispose]());
  const forgetMembersOnDisconnect = options.forgetMembersOnDisconnect ?? false;
  const coordinator = await openCoordinator(storage, surroundings, {
    closers,
    forgetMembersOnDisconnect,
  });
  const remoteTier = await openTier(settings, storage, { ...surroundings, metrics, closers });
  const listeners = new Listeners(settings);
  const node: NodeIdentity = {
    nodeId: settings.nodeId,
    clusterId: cluster.clusterId,
    rack: null,
    endpointOf: (name) => listeners.endpointOf(name),
  };
  const statistics = new BrokerStatistics();
  registerStatistics(metrics, { statistics, logs, topics });
  const handlers = createHandlers({
    ...storage,
    clock,
    statistics,
    node,
    coordinator,
    deadlines: new DeadlineQueue(clock),
    responseMemory: pools.response,
    remoteReads: remoteTier ?? noRemoteReads,
    remoteOffsets: remoteTier ?? noRemoteOffsets,
    checkpoint: () => logs.checkpoint(),
  });
  await listeners.open(
    new Router(handlers, statistics),
    { clock, logger, memory: pools.receive, statistics },
    closers,
  );
  const { warnings } = settings.config;
  logger.info('Broker ready', {
    listeners: settings.listeners.map(({ name }) => name),
    directory: settings.directory ?? 'memory',
    remoteStorage: remoteTier?.storeName ?? 'none',
    crc32c: crc32cImplementation(),
    readsIntoBuffers,
  });
  const startReport = { readyMs: clock.monotonic() - startedMs, warnings };
  const { directory } = settings;
  return new RunningBroker({
    node,
    listeners,
    storage,
    coordinator,
    remoteTier,
    metrics,
    directory,
    startReport,
    closers,
  });
}

/** What tiering is made of is loaded by those brokers alone that tier. */
async function openTier(
  settings: Settings,
  storage: Storage,
  context: Parameters<typeof OpenRemoteTier>[2],
): Promise<RemoteTier | undefined> {
  const { remoteStorage } = settings;
  if (remoteStorage === undefined) {
    goWithoutRemoteTier(storage);
    return undefined;
  }
  const { openRemoteTier } = await import('./start/open-remote-tier.ts');
  return openRemoteTier(remoteStorage, { settings, storage }, context);
}
