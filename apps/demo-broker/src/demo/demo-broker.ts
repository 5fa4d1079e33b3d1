import { join } from 'node:path';
import { type Broker, type BrokerLogger, startBroker } from '@logloft/broker';
import type { Clock } from '@logloft/clock';
import { createObjectStore } from '@logloft/remote-storage-local';
import { MeteredObjectStore, type StoreMeters } from './metered-store.ts';
import { PLAN } from './plan.ts';
import { WRITE_QUOTA } from './quota-story.ts';

/** What the broker of the demo runs with. */
export interface DemoBrokerOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: BrokerLogger;
  readonly meters: StoreMeters;
}

/** Starts a broker on a free port that tiers to the local disk, through a store that counts bytes. */
export async function startDemoBroker(options: DemoBrokerOptions): Promise<Broker> {
  const { directory, clock, logger, meters } = options;
  const interval = String(PLAN.taskIntervalMs);
  const samples = String(PLAN.quotaSamples);
  const seconds = String(PLAN.quotaSampleSeconds);
  return await startBroker({
    directory: join(directory, 'log'),
    clock,
    logger,
    remoteStorage: {
      createObjectStore: async (storeOptions, context) =>
        new MeteredObjectStore(await createObjectStore(storeOptions, context), meters),
    },
    remoteStorageOptions: { 'storage.root': join(directory, 'remote') },
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

/** What the topic of the demo is made with: small segments that leave the local disk at once. */
export function demoTopicConfigs(): Readonly<Record<string, string>> {
  return {
    'segment.bytes': String(PLAN.segmentBytes),
    'remote.storage.enable': 'true',
    'local.retention.ms': '0',
    'file.delete.delay.ms': String(PLAN.fileDeleteDelayMs),
  };
}
