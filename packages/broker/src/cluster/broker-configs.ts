import { checkTopicConfig } from '../config/check-topic-config.ts';
import type { ConfigValues } from '../config/config-values.ts';
import {
  type BrokerConfigLayers,
  type EffectiveConfig,
  resolveBrokerConfig,
} from '../config/effective-config.ts';
import { logConfigOf } from '../config/log-config-of.ts';
import { resolveTopicConfig } from '../config/resolve-topic-config.ts';
import { SerialQueue } from '../serial-queue.ts';
import type { TopicSettings } from '../topics/partition.ts';
import type { EffectiveTopicConfig, TopicConfigs } from '../topics/topic-configs.ts';
import { CLUSTER_DEFAULT } from './cluster-state.ts';
import type { ClusterStore } from './cluster-store.ts';

/** What {@link BrokerConfigs} is made from. */
export interface BrokerConfigsOptions {
  /** What was set at start, by name. */
  readonly static: ReadonlyMap<string, string>;
  readonly nodeId: number;
  readonly cluster: ClusterStore;
}

/** The configuration in force: what was set at start, and what was changed since. */
export class BrokerConfigs implements TopicConfigs {
  /** One change at a time, from the look at what is set to its storing: else one undoes another. */
  readonly changes: SerialQueue = new SerialQueue();
  readonly #options: BrokerConfigsOptions;
  readonly #listeners: (() => void)[] = [];
  #broker: EffectiveConfig;

  constructor(options: BrokerConfigsOptions) {
    this.#options = options;
    this.#broker = resolveBrokerConfig(this.layers);
  }

  /** All layers of the broker's configuration. */
  get layers(): BrokerConfigLayers {
    const { cluster, nodeId } = this.#options;
    return {
      dynamicBroker: cluster.state.brokerConfig(String(nodeId)),
      dynamicDefault: cluster.state.brokerConfig(CLUSTER_DEFAULT),
      static: this.#options.static,
    };
  }

  /** What counts for the broker. */
  get broker(): EffectiveConfig {
    return this.#broker;
  }

  /** Values of the broker by type. */
  get values(): ConfigValues {
    return this.#broker.values;
  }

  get defaultPartitions(): number {
    return this.values.number('num.partitions');
  }

  get autoCreateOverrides(): ReadonlyMap<string, string> {
    const tiers =
      this.values.boolean('remote.log.storage.system.enable') &&
      this.values.boolean('log.remote.storage.enable');
    return tiers ? new Map([['remote.storage.enable', 'true']]) : new Map();
  }

  /** What counts for a topic with these overrides. */
  topic(overrides: ReadonlyMap<string, string>): EffectiveConfig {
    return resolveTopicConfig(overrides, this.layers);
  }

  effective(overrides: ReadonlyMap<string, string>): EffectiveTopicConfig {
    const { values } = this.topic(overrides);
    return { log: logConfigOf(values), settings: settingsOf(values) };
  }

  check(overrides: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    return checkTopicConfig({ overrides, layers: this.layers, previous: undefined });
  }

  /** Calls `listener` whenever the broker's configuration has changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Makes a checked dynamic configuration durable and puts it in force. */
  async setBrokerOverrides(node: string, overrides: ReadonlyMap<string, string>): Promise<void> {
    const { cluster } = this.#options;
    await cluster.change({ type: 'broker-config', node, configs: [...overrides] });
    this.#broker = resolveBrokerConfig(this.layers);
    for (const listener of this.#listeners) listener();
  }
}

function settingsOf(values: ConfigValues): TopicSettings {
  const tiered = values.boolean('remote.storage.enable');
  return {
    maxMessageBytes: values.number('max.message.bytes'),
    minInsyncReplicas: values.number('min.insync.replicas'),
    timestampBeforeMaxMs: values.number('message.timestamp.before.max.ms'),
    timestampAfterMaxMs: values.number('message.timestamp.after.max.ms'),
    tiered,
    discardsRemoteData: !tiered && values.boolean('remote.log.delete.on.disable'),
  };
}
