import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, RandomSource } from '@logloft/clock';
import { LogManager } from '@logloft/log';
import { BrokerConfigs } from '../cluster/broker-configs.ts';
import { ClusterStore } from '../cluster/cluster-store.ts';
import { BrokerError } from '../errors.ts';
import type { VolumeSpace } from '../handlers/describe-log-dirs.ts';
import type { BrokerLogger } from '../logger.ts';
import { TopicManager } from '../topics/topic-manager.ts';
import type { Closers } from './closers.ts';
import { lockDirectory } from './directory-lock.ts';
import type { Settings } from './settings.ts';

/** What every part of a broker is given. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: BrokerLogger;
}

/** The durable parts of a broker. */
export interface Storage {
  readonly cluster: ClusterStore;
  readonly configs: BrokerConfigs;
  readonly logs: LogManager;
  readonly topics: TopicManager;
  /** What clients are told of where the logs are. */
  readonly logDirectory: string;
  readonly space: () => Promise<VolumeSpace>;
}

const JOURNAL_FILE = 'cluster.journal';
const UNKNOWN_SPACE: VolumeSpace = Object.freeze({ totalBytes: -1, usableBytes: -1 });

/** Opens the cluster state, the logs and the topics, in a directory or in memory. */
export async function openStorage(
  settings: Settings,
  surroundings: Surroundings,
  closers: Closers,
): Promise<Storage> {
  const { directory, nodeId, memoryBytes, config } = settings;
  const { random, logger } = surroundings;
  if (directory !== undefined) await prepareDirectory(directory, closers);
  const path = directory === undefined ? undefined : join(directory, JOURNAL_FILE);
  const cluster = await ClusterStore.open({ path, nodeId }, { random, logger });
  closers.add(cluster, (opened) => opened.close());
  const configs = new BrokerConfigs({ static: config.texts, nodeId, cluster });
  const logs = await LogManager.open(
    directory === undefined ? { memoryBytes } : { directory },
    logManagerConfig(configs, cluster),
    surroundings,
  );
  closers.add(logs, (opened) => opened.close());
  const topics = await TopicManager.open({ cluster, logs, configs, random, logger });
  closers.add(topics, (opened) => opened.close());
  configs.onChange(() => topics.refreshConfigs());
  warnOfStrangers(logs, topics, logger);
  return {
    cluster,
    configs,
    logs,
    topics,
    logDirectory: directory ?? 'memory',
    space: () => (directory === undefined ? Promise.resolve(UNKNOWN_SPACE) : spaceOf(directory)),
  };
}

async function prepareDirectory(directory: string, closers: Closers): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw new BrokerError(
      'LOGLOFT_BROKER_DATA_DIRECTORY',
      `Cannot make the directory ${directory}: ${(error as Error).message}`,
      { cause: error },
    );
  }
  closers.add(await lockDirectory(directory), (unlock) => unlock());
}

function logManagerConfig(
  configs: BrokerConfigs,
  { state }: ClusterStore,
): Parameters<typeof LogManager.open>[1] {
  const { values } = configs;
  return {
    defaults: configs.effective(new Map()).log,
    configOf: (name) => {
      const topic = state.topic(name);
      return topic === undefined ? undefined : configs.effective(topic.configs).log;
    },
    retentionCheckIntervalMs: values.number('log.retention.check.interval.ms'),
    producerIdExpirationMs: values.number('producer.id.expiration.ms'),
  };
}

/** Logs that no topic explains: left alone, since a lost journal must not cost data. */
function warnOfStrangers(logs: LogManager, topics: TopicManager, logger: BrokerLogger): void {
  for (const log of logs.list()) {
    if (topics.byId(log.topicId) !== undefined) continue;
    logger.warn('A log belongs to no topic that is known; it is left as it is', {
      directory: log.directory,
      topicId: log.topicId,
    });
  }
}

async function spaceOf(directory: string): Promise<VolumeSpace> {
  const { blocks, bavail, bsize } = await statfs(directory);
  return { totalBytes: blocks * bsize, usableBytes: bavail * bsize };
}
