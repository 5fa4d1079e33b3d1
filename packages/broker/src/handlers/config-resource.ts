import { LogStorageError } from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import type { BrokerConfigs } from '../cluster/broker-configs.ts';
import { CLUSTER_DEFAULT } from '../cluster/cluster-state.ts';
import { checkBrokerConfig } from '../config/check-broker-config.ts';
import { checkTopicConfig } from '../config/check-topic-config.ts';
import { ConfigError } from '../config/config-error.ts';
import { BROKER_CONFIG, type ConfigDefinitions, TOPIC_CONFIG } from '../config/definitions.ts';
import type { EffectiveConfig } from '../config/effective-config.ts';
import type { NodeIdentity } from '../node.ts';
import type { TopicManager } from '../topics/topic-manager.ts';
import { refuse, type TopicRefusal } from '../topics/topic-outcome.ts';

const TOPIC = 2;
const BROKER = 4;

/** What the configuration handlers need. */
export interface ConfigServices {
  readonly configs: BrokerConfigs;
  readonly topics: TopicManager;
  readonly node: NodeIdentity;
}

/** A topic or a broker as the subject of configuration requests. */
export interface ConfigResource {
  readonly kind: 'resource';
  readonly definitions: ConfigDefinitions;
  /** What is set on it. */
  readonly current: ReadonlyMap<string, string>;
  /** What counts for it. */
  readonly effective: EffectiveConfig;
  /** @throws ConfigError when `overrides` are not allowed */
  check(overrides: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
  /** Makes checked overrides durable and puts them in force. */
  store(overrides: ReadonlyMap<string, string>): Promise<void>;
}

/** Finds the resource of a request. */
export function findResource(
  type: number,
  name: string,
  services: ConfigServices,
): ConfigResource | TopicRefusal {
  if (type === TOPIC) return topicResource(name, services);
  if (type === BROKER) return brokerResource(name, services);
  return refuse(
    ErrorCode.INVALID_REQUEST,
    `Resources of type ${type} are not served; expected ${TOPIC} (topic) or ${BROKER} (broker).`,
  );
}

/** Turns an error of configuration into a refusal. @throws `error` itself when it is another one */
export function refusalOfConfig(error: unknown): TopicRefusal {
  if (error instanceof ConfigError) return refuse(ErrorCode[error.protocolError], error.message);
  if (error instanceof LogStorageError) {
    return refuse(ErrorCode.KAFKA_STORAGE_ERROR, error.message);
  }
  throw error;
}

function topicResource(
  name: string,
  { configs, topics }: ConfigServices,
): ConfigResource | TopicRefusal {
  const topic = topics.byName(name);
  if (topic === undefined) {
    return refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no topic ${name}.`);
  }
  const current = topics.overridesOf(topic);
  return {
    kind: 'resource',
    definitions: TOPIC_CONFIG,
    current,
    effective: configs.topic(current),
    check: (overrides) =>
      checkTopicConfig({ overrides, layers: configs.layers, previous: current }),
    store: (overrides) => topics.setOverrides(topic.topicId, overrides),
  };
}

function brokerResource(
  name: string,
  { configs, node }: ConfigServices,
): ConfigResource | TopicRefusal {
  const isDefault = name === CLUSTER_DEFAULT;
  if (!isDefault && name !== String(node.nodeId)) {
    return refuse(
      ErrorCode.INVALID_REQUEST,
      `Expected the broker id ${node.nodeId}, or an empty name for the cluster-wide default, got "${name}".`,
    );
  }
  const { layers } = configs;
  return {
    kind: 'resource',
    definitions: BROKER_CONFIG,
    current: isDefault ? layers.dynamicDefault : layers.dynamicBroker,
    effective: configs.broker,
    check: (overrides) =>
      checkBrokerConfig({ target: isDefault ? 'cluster-default' : 'node', overrides, layers }),
    store: (overrides) => configs.setBrokerOverrides(name, overrides),
  };
}
