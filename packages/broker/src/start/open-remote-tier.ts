import type { MetricsRegistry } from '@logloft/metrics';
import { ByteLimit } from '@logloft/quota';
import { type MetadataManagerOptions, optionsFromProperties } from '@logloft/rlm-core';
import type { BrokerConfigs } from '../cluster/broker-configs.ts';
import { ensureInternalTopic } from '../internal-topics/ensure-internal-topic.ts';
import { InternalTopic } from '../internal-topics/internal-topic.ts';
import type { RemoteStorageChoice } from '../start-broker-options.ts';
import { openPlugin } from '../tiering/plugin-loader.ts';
import { RemoteTier } from '../tiering/remote-tier.ts';
import { REMOTE_LOG_METADATA_TOPIC, TopicEventLog } from '../tiering/topic-event-log.ts';
import type { Closers } from './closers.ts';
import type { Storage, Surroundings } from './open-storage.ts';
import type { Settings } from './settings.ts';

const WRITE_LIMIT = 'remote.log.manager.write.quota.default';
const READ_LIMIT = 'remote.log.manager.read.quota.default';

/**
 * Opens the remote store and what copies to it; `undefined` when the broker has no remote tier. Either
 * way, deletions of topics that an earlier process did not finish go on.
 *
 * @throws BrokerError when the plugin cannot be loaded, or there is none and topics need it
 */
export async function openRemoteTier(
  choice: RemoteStorageChoice,
  { settings, storage }: { readonly settings: Settings; readonly storage: Storage },
  context: Surroundings & { readonly metrics: MetricsRegistry; readonly closers: Closers },
): Promise<RemoteTier> {
  const { remoteStorageOptions, pluginBase, nodeId } = settings;
  const { closers, ...surroundings } = context;
  const { configs, logs, topics } = storage;
  const store = await openPlugin(
    choice,
    { options: remoteStorageOptions, base: pluginBase },
    { ...surroundings, brokerId: nodeId },
  );
  let tier: RemoteTier | undefined;
  try {
    const eventLog = await openEventLog(settings, storage, surroundings);
    tier = new RemoteTier(
      { ...surroundings, brokerId: nodeId, store, eventLog, checkpoint: () => logs.checkpoint() },
      {
        manager: optionsFromProperties(textsOf(configs)),
        metadata: metadataOptionsOf(settings),
        fetchMaxWaitMs: () => configs.values.number('remote.fetch.max.wait.ms'),
      },
    );
  } finally {
    // Closing the tier closes the store.
    if (tier === undefined) await store[Symbol.asyncDispose]();
  }
  closers.add(tier, (opened) => opened.close());
  followLimits(tier, configs);
  tier.start();
  topics.addListener(tier);
  topics.resumeDeletions();
  return tier;
}

function metadataOptionsOf({ config }: Settings): MetadataManagerOptions {
  const values = config.remoteMetadata;
  return {
    consumeWaitMs: values.number('remote.log.metadata.consume.wait.ms'),
    retryIntervalMs: values.number('remote.log.metadata.initialization.retry.interval.ms'),
  };
}

async function openEventLog(
  { config }: Settings,
  { topics }: Storage,
  { clock }: Surroundings,
): Promise<TopicEventLog> {
  const values = config.remoteMetadata;
  await ensureInternalTopic(topics, {
    name: REMOTE_LOG_METADATA_TOPIC,
    partitions: values.number('remote.log.metadata.topic.num.partitions'),
    overrides: new Map([
      ['retention.ms', '-1'],
      ['retention.bytes', '-1'],
      ['remote.storage.enable', 'false'],
      // An event is durable before what it announces begins: one fdatasync for all of a turn.
      ['flush.messages', '1'],
    ]),
  });
  const topic = new InternalTopic(() => {
    const found = topics.byName(REMOTE_LOG_METADATA_TOPIC);
    if (found === undefined) throw new Error(`${REMOTE_LOG_METADATA_TOPIC} is gone`);
    return found;
  }, clock);
  return new TopicEventLog(topic, clock);
}

/** The two limits change at run time, and take effect at once. */
function followLimits({ manager }: RemoteTier, configs: BrokerConfigs): void {
  configs.onChange(() => {
    const limit = (name: string): ByteLimit =>
      ByteLimit.parse(configs.broker.get(name)?.text ?? ByteLimit.unlimited.toString());
    manager.updateWriteLimit(limit(WRITE_LIMIT));
    manager.updateReadLimit(limit(READ_LIMIT));
  });
}

function textsOf(configs: BrokerConfigs): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { definition, text } of configs.broker) {
    if (text !== null) texts.set(definition.name, text);
  }
  return texts;
}
