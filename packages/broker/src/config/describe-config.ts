import { CONFIG_TYPE_IDS } from './config-definition.ts';
import {
  CONFIG_SOURCE_IDS,
  type EffectiveConfig,
  type EffectiveEntry,
} from './effective-config.ts';

/** One property as DescribeConfigs and CreateTopics answer it. */
export interface DescribedConfig {
  readonly name: string;
  /** `null` when it is not set, or a secret. */
  readonly value: string | null;
  readonly readOnly: boolean;
  readonly isDefault: boolean;
  readonly configSource: number;
  readonly isSensitive: boolean;
  readonly synonyms: readonly DescribedSynonym[];
  readonly configType: number;
  readonly documentation: string;
}

/** A value that counts, or would. */
interface DescribedSynonym {
  readonly name: string;
  readonly value: string | null;
  readonly source: number;
}

/**
 * Describes properties for the protocol.
 *
 * @param names which ones, in this order, unknown ones left out; all when empty or `null`
 */
export function describeConfig(
  config: EffectiveConfig,
  names: readonly string[] | null = null,
): readonly DescribedConfig[] {
  const entries =
    names === null || names.length === 0
      ? [...config]
      : names.flatMap((name) => config.get(name) ?? []);
  return entries.map(describe);
}

function describe({ definition, text, source, synonyms }: EffectiveEntry): DescribedConfig {
  const isSensitive = definition.type === 'password';
  return {
    name: definition.name,
    value: isSensitive ? null : text,
    readOnly: definition.mode === 'static',
    isDefault: source === 'DEFAULT_CONFIG',
    configSource: CONFIG_SOURCE_IDS[source],
    isSensitive,
    synonyms: synonyms.map((synonym) => ({
      name: synonym.name,
      value: isSensitive ? null : synonym.text,
      source: CONFIG_SOURCE_IDS[synonym.source],
    })),
    configType: CONFIG_TYPE_IDS[definition.type],
    documentation: definition.documentation,
  };
}
