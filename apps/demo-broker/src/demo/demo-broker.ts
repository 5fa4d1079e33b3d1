import { join } from 'node:path';
import {
  type Broker,
  type BrokerLogger,
  type ConfiguredPlugin,
  startBroker,
} from '@logloft/broker';
import type { Clock } from '@logloft/clock';
import type { ObjectStoreFactory, PluginOptions } from '@logloft/remote-storage';
import { createObjectStore } from '@logloft/remote-storage-local';
import { UsageError } from '../command-line/usage-error.ts';
import { MeteredObjectStore, type StoreMeters } from './metered-store.ts';
import { PLAN } from './plan.ts';
import { WRITE_QUOTA } from './quota-story.ts';

/** What the broker of the demo runs with. */
export interface DemoBrokerOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: BrokerLogger;
  readonly meters: StoreMeters;
  /** `undefined`: the local disk, in `directory`. */
  readonly plugin: ConfiguredPlugin | undefined;
}

/**
 * Starts a broker on a free port that tiers through a store which counts bytes.
 *
 * @throws UsageError for a plugin whose store cannot be seen
 */
export async function startDemoBroker(options: DemoBrokerOptions): Promise<Broker> {
  const { directory, clock, logger, meters } = options;
  const { createObjectStore: open, options: pluginOptions } = storeOf(options);
  const interval = String(PLAN.taskIntervalMs);
  const samples = String(PLAN.quotaSamples);
  const seconds = String(PLAN.quotaSampleSeconds);
  return await startBroker({
    directory: join(directory, 'log'),
    clock,
    logger,
    remoteStorage: {
      createObjectStore: async (storeOptions, context) =>
        new MeteredObjectStore(await open(storeOptions, context), meters),
    },
    remoteStorageOptions: pluginOptions,
    config: {
      'group.initial.rebalance.delay.ms': '0',
      'log.retention.check.interval.ms': interval,
      'remote.log.manager.task.interval.ms': interval,
      [WRITE_QUOTA]: String(PLAN.lowWriteLimit),
      'remote.log.manager.write.quota.window.num': samples,
      'remote.log.manager.write.quota.window.size.seconds': seconds,
      'remote.log.manager.read.quota.default': String(PLAN.readLimit),
      'remote.log.manager.read.quota.window.num': samples,
      'remote.log.manager.read.quota.window.size.seconds': seconds,
    },
  });
}

function storeOf({ plugin, directory }: DemoBrokerOptions): {
  readonly createObjectStore: ObjectStoreFactory;
  readonly options: PluginOptions;
} {
  if (plugin === undefined) {
    return { createObjectStore, options: { 'storage.root': join(directory, 'remote') } };
  }
  if (plugin.module.createObjectStore !== undefined) {
    return { createObjectStore: plugin.module.createObjectStore, options: plugin.options };
  }
  throw new UsageError(
    'The demo counts bytes at the object store, and this plugin shows none: it exports createRemoteStorage.',
  );
}

/** What the topic of the demo is made with: small segments that leave the local disk at once. */
export function demoTopicConfigs(): Readonly<Record<string, string>> {
  return {
    'segment.bytes': String(PLAN.segmentBytes),
    'remote.storage.enable': 'true',
    'local.retention.ms': '0',
    'file.delete.delay.ms': String(PLAN.fileDeleteDelayMs),
  };
}
