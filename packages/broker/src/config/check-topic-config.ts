import { parseConfig } from './config-text.ts';
import { TOPIC_CONFIG } from './definitions.ts';
import { type BrokerConfigLayers, resolveBrokerConfig } from './effective-config.ts';
import { resolveTopicConfig } from './resolve-topic-config.ts';
import { checkTopicRules } from './topic-rules.ts';
import { unknownKey } from './unknown-key.ts';

/** A topic's configuration as it is to be. */
export interface TopicConfigChange {
  /** All that is set on the topic, by name. */
  readonly overrides: ReadonlyMap<string, string>;
  readonly layers: BrokerConfigLayers;
  /** What was set before; `undefined` for a new topic. */
  readonly previous: ReadonlyMap<string, string> | undefined;
}

/**
 * Checks the configuration of a topic that is created or altered.
 *
 * @returns the overrides, as Kafka prints them: to be stored
 * @throws ConfigError whose `protocolError` and `message` answer the client
 */
export function checkTopicConfig(change: TopicConfigChange): ReadonlyMap<string, string> {
  const { layers, previous } = change;
  const overrides = new Map<string, string>();
  for (const [name, text] of change.overrides) {
    const definition = TOPIC_CONFIG.find(name);
    if (definition === undefined) throw unknownKey(name, TOPIC_CONFIG);
    overrides.set(definition.name, parseConfig(definition, text).text);
  }
  const broker = resolveBrokerConfig(layers);
  checkTopicRules(resolveTopicConfig(overrides, layers).values, {
    hasRemoteTier: broker.values.boolean('remote.log.storage.system.enable'),
    wasTiered:
      previous !== undefined &&
      resolveTopicConfig(previous, layers).values.boolean('remote.storage.enable'),
  });
  return overrides;
}
