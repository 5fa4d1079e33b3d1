import type { ConfigDefinition } from './config-definition.ts';
import { ConfigError } from './config-error.ts';
import { parseConfig } from './config-text.ts';
import { PROPERTIES_WITHOUT_EFFECT } from './definitions/without-effect.ts';
import { BROKER_CONFIG } from './definitions.ts';
import { type BrokerConfigLayers, resolveBrokerConfig } from './effective-config.ts';
import { resolveTopicConfig } from './resolve-topic-config.ts';
import { checkTopicRules } from './topic-rules.ts';
import { unknownKey } from './unknown-key.ts';

/** The dynamic configuration of the broker as it is to be. */
export interface BrokerConfigChange {
  /** Whose values change: those of this node, or the cluster default. */
  readonly target: 'node' | 'cluster-default';
  /** All that is set there at run time, by name or alias. */
  readonly overrides: ReadonlyMap<string, string>;
  /** The layers as they are. */
  readonly layers: BrokerConfigLayers;
}

/**
 * Checks a change of the broker's configuration at run time.
 *
 * @returns the overrides, by name, as Kafka prints them: to be stored
 * @throws ConfigError whose `protocolError` and `message` answer the client; a property that can be
 *   set at start only is `INVALID_REQUEST`
 */
export function checkBrokerConfig(change: BrokerConfigChange): ReadonlyMap<string, string> {
  const overrides = new Map<string, string>();
  for (const [name, text] of change.overrides) {
    const definition = requireDynamic(name, change.layers);
    const parsed = parseConfig(definition, text).text;
    const other = overrides.get(definition.name);
    if (other !== undefined && other !== parsed) throw twoNames(definition, other, parsed);
    overrides.set(definition.name, parsed);
  }
  const layers: BrokerConfigLayers =
    change.target === 'node'
      ? { ...change.layers, dynamicBroker: overrides }
      : { ...change.layers, dynamicDefault: overrides };
  checkTopicDefaults(layers);
  return overrides;
}

/** Checks that a topic without values of its own would be sound. @throws ConfigError when it would not */
export function checkTopicDefaults(layers: BrokerConfigLayers): void {
  checkTopicRules(resolveTopicConfig(new Map(), layers).values, {
    hasRemoteTier: resolveBrokerConfig(layers).values.boolean('remote.log.storage.system.enable'),
    wasTiered: false,
  });
}

/** The error for two names of one property with different values. */
export function twoNames(
  definition: ConfigDefinition,
  one: string,
  other: string,
  origin?: string,
): ConfigError {
  const names = [definition.name, ...definition.aliases].join(' and ');
  return new ConfigError('LOGLOFT_CONFIG_CONFLICT', {
    key: definition.name,
    reason: `${names} are names of one property, and are set to ${one} and ${other}. Keep one.`,
    origin,
  });
}

function requireDynamic(name: string, layers: BrokerConfigLayers): ConfigDefinition {
  const definition = BROKER_CONFIG.find(name);
  if (definition?.mode === 'cluster-wide') return definition;
  if (definition !== undefined || isPluginOption(name, layers)) {
    throw new ConfigError('LOGLOFT_CONFIG_READ_ONLY', {
      key: name,
      reason: `${name} can be set at start only. Change it in the configuration, and start the broker again.`,
    });
  }
  const reason = PROPERTIES_WITHOUT_EFFECT.get(name);
  if (reason === undefined) throw unknownKey(name, BROKER_CONFIG);
  throw new ConfigError('LOGLOFT_CONFIG_UNSUPPORTED', {
    key: name,
    reason: `${name} has no effect here: ${reason}.`,
  });
}

function isPluginOption(name: string, layers: BrokerConfigLayers): boolean {
  const { values } = resolveBrokerConfig(layers);
  return ['storage', 'metadata'].some((part) =>
    name.startsWith(values.string(`remote.log.${part}.manager.impl.prefix`)),
  );
}
