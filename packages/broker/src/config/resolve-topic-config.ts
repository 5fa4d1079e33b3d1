import type { ConfigDefinition, ConfigSynonym } from './config-definition.ts';
import { BROKER_CONFIG, TOPIC_CONFIG } from './definitions.ts';
import {
  type BrokerConfigLayers,
  type ConfigSynonymValue,
  EffectiveConfig,
  type EffectiveEntry,
  entryOf,
  layersInOrder,
} from './effective-config.ts';

/**
 * What counts for a topic: its own values, then those of the broker properties behind them, layer
 * by layer, then the defaults.
 *
 * @param overrides what is set on the topic, by name
 */
export function resolveTopicConfig(
  overrides: ReadonlyMap<string, string>,
  layers: BrokerConfigLayers,
): EffectiveConfig {
  const entries = [...TOPIC_CONFIG].map((definition) => resolve(definition, overrides, layers));
  return new EffectiveConfig(TOPIC_CONFIG, entries);
}

/** A value of a broker property, and what it comes to for the topic. */
interface Candidate extends ConfigSynonymValue {
  readonly topicText: string;
}

function resolve(
  definition: ConfigDefinition,
  overrides: ReadonlyMap<string, string>,
  layers: BrokerConfigLayers,
): EffectiveEntry {
  const candidates: Candidate[] = [];
  const own = overrides.get(definition.name);
  if (own !== undefined) {
    const { name } = definition;
    candidates.push({ name, text: own, topicText: own, source: 'DYNAMIC_TOPIC_CONFIG' });
  }
  for (const [source, texts] of layersInOrder(layers)) {
    for (const synonym of definition.synonyms) {
      const text = texts.get(synonym.name);
      if (text !== undefined) candidates.push(candidateOf(synonym, text, source));
    }
  }
  candidates.push(...defaultsOf(definition));
  const [first] = candidates;
  const effective =
    first === undefined ? undefined : { text: first.topicText, source: first.source };
  return entryOf(
    definition,
    effective,
    candidates.map(({ name, text, source }) => ({ name, text, source })),
  );
}

function defaultsOf(definition: ConfigDefinition): readonly Candidate[] {
  const source = 'DEFAULT_CONFIG';
  if (definition.synonyms.length === 0) {
    const { name, defaultText } = definition;
    return defaultText === null
      ? []
      : [{ name, text: defaultText, topicText: defaultText, source }];
  }
  return definition.synonyms.flatMap((synonym) => {
    const { defaultText } = BROKER_CONFIG.get(synonym.name);
    return defaultText === null ? [] : [candidateOf(synonym, defaultText, source)];
  });
}

function candidateOf(
  { name, factor }: ConfigSynonym,
  text: string,
  source: ConfigSynonymValue['source'],
): Candidate {
  return { name, text, source, topicText: factor === 1 ? text : multiply(text, factor) };
}

/** Hours or minutes as ms. What is negative means "no limit", whatever the unit. */
function multiply(text: string, factor: number): string {
  const count = Number(text);
  return count < 0 ? '-1' : String(count * factor);
}
