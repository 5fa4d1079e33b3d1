import type { ConfigDefinition } from './config-definition.ts';
import { ConfigValues } from './config-values.ts';
import { BROKER_CONFIG, type ConfigDefinitions } from './definitions.ts';

/** Where a value comes from, in Kafka's words; the first that has one counts. */
export type ConfigSource =
  | 'DYNAMIC_TOPIC_CONFIG'
  | 'DYNAMIC_BROKER_CONFIG'
  | 'DYNAMIC_DEFAULT_BROKER_CONFIG'
  | 'STATIC_BROKER_CONFIG'
  | 'DEFAULT_CONFIG';

/** The number of each source in DescribeConfigs. */
export const CONFIG_SOURCE_IDS: Readonly<Record<ConfigSource, number>> = Object.freeze({
  DYNAMIC_TOPIC_CONFIG: 1,
  DYNAMIC_BROKER_CONFIG: 2,
  DYNAMIC_DEFAULT_BROKER_CONFIG: 3,
  STATIC_BROKER_CONFIG: 4,
  DEFAULT_CONFIG: 5,
});

/** What is set for the broker, by name (never by alias), as Kafka prints it. */
export interface BrokerConfigLayers {
  /** At run time, on this node. */
  readonly dynamicBroker: ReadonlyMap<string, string>;
  /** At run time, on the cluster default. */
  readonly dynamicDefault: ReadonlyMap<string, string>;
  /** At start. */
  readonly static: ReadonlyMap<string, string>;
}

/** A value that counts, or would if those before it were not set. */
export interface ConfigSynonymValue {
  readonly name: string;
  readonly text: string;
  readonly source: ConfigSource;
}

/** A property with the value that counts. */
export interface EffectiveEntry {
  readonly definition: ConfigDefinition;
  /** As Kafka prints it; `null` when it is not set. */
  readonly text: string | null;
  readonly source: ConfigSource;
  /** All values in the order in which they count, each under its own name. */
  readonly synonyms: readonly ConfigSynonymValue[];
}

/** All properties of a broker or topic with the values that count. */
export class EffectiveConfig implements Iterable<EffectiveEntry> {
  readonly values: ConfigValues;
  readonly #entries: ReadonlyMap<string, EffectiveEntry>;

  constructor(definitions: ConfigDefinitions, entries: readonly EffectiveEntry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.definition.name, entry]));
    const texts = new Map<string, string>();
    for (const { definition, text } of entries) {
      if (text !== null) texts.set(definition.name, text);
    }
    this.values = new ConfigValues(definitions, texts);
  }

  get(name: string): EffectiveEntry | undefined {
    return this.#entries.get(name);
  }

  [Symbol.iterator](): Iterator<EffectiveEntry> {
    return this.#entries.values();
  }
}

/** The layers of the broker, from the one that counts most. */
export function layersInOrder(
  layers: BrokerConfigLayers,
): readonly (readonly [ConfigSource, ReadonlyMap<string, string>])[] {
  return [
    ['DYNAMIC_BROKER_CONFIG', layers.dynamicBroker],
    ['DYNAMIC_DEFAULT_BROKER_CONFIG', layers.dynamicDefault],
    ['STATIC_BROKER_CONFIG', layers.static],
  ];
}

/** What counts for the broker. Aliases stand among the synonyms, each behind its name. */
export function resolveBrokerConfig(layers: BrokerConfigLayers): EffectiveConfig {
  const entries = [...BROKER_CONFIG].map((definition) => {
    const synonyms: ConfigSynonymValue[] = [];
    const add = (text: string | null | undefined, source: ConfigSource): void => {
      if (text === null || text === undefined) return;
      for (const name of [definition.name, ...definition.aliases]) {
        synonyms.push({ name, text, source });
      }
    };
    for (const [source, texts] of layersInOrder(layers)) add(texts.get(definition.name), source);
    add(definition.defaultText, 'DEFAULT_CONFIG');
    return entryOf(definition, synonyms[0], synonyms);
  });
  return new EffectiveConfig(BROKER_CONFIG, entries);
}

/** An entry whose value is that of `first`. */
export function entryOf(
  definition: ConfigDefinition,
  first: { readonly text: string; readonly source: ConfigSource } | undefined,
  synonyms: readonly ConfigSynonymValue[],
): EffectiveEntry {
  return {
    definition,
    text: first?.text ?? null,
    source: first?.source ?? 'DEFAULT_CONFIG',
    synonyms,
  };
}
