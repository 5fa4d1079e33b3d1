/** The types of Kafka's `ConfigDef`. */
export type ConfigType =
  | 'boolean'
  | 'string'
  | 'int'
  | 'short'
  | 'long'
  | 'double'
  | 'list'
  | 'class'
  | 'password';

/** The number of each type in DescribeConfigs. */
export const CONFIG_TYPE_IDS: Readonly<Record<ConfigType, number>> = Object.freeze({
  boolean: 1,
  string: 2,
  int: 3,
  short: 4,
  long: 5,
  double: 6,
  list: 7,
  class: 8,
  password: 9,
});

/**
 * When a property may change.
 *
 * - `static`: at start only.
 * - `cluster-wide`: at run time, on the cluster default (resource name `''`) or on one node.
 * - `topic`: at run time, on a topic.
 */
type ConfigMode = 'static' | 'cluster-wide' | 'topic';

/** A broker property that a topic property takes its default from. */
export interface ConfigSynonym {
  readonly name: string;
  /** What a value of the broker property is multiplied by, e.g. 3,600,000 from hours to ms. */
  readonly factor: number;
}

/** A property: what it is called, what it may be, and what it means. */
export interface ConfigDefinition {
  readonly name: string;
  readonly type: ConfigType;
  /** As Kafka prints it; `null` when it is not set by default. */
  readonly defaultText: string | null;
  readonly mode: ConfigMode;
  readonly documentation: string;
  /** Other names that set the same value. */
  readonly aliases: readonly string[];
  /** Lower bound of a number, inclusive. */
  readonly min: number;
  /** Upper bound of a number, inclusive. */
  readonly max: number;
  /** The values that a string, or each item of a list, may have; empty when any. */
  readonly allowed: readonly string[];
  /** Whether the empty string is refused. */
  readonly nonEmpty: boolean;
  /** For a topic property: the broker properties behind it, the first that is set counts. */
  readonly synonyms: readonly ConfigSynonym[];
}

/** The parts of a {@link ConfigDefinition} that have a default themselves. */
export interface ConfigDefinitionParts {
  readonly type: ConfigType;
  /** Absent: not set by default. */
  readonly default?: string | undefined;
  /** Absent: `static`. */
  readonly mode?: ConfigMode | undefined;
  readonly doc: string;
  readonly aliases?: readonly string[] | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly allowed?: readonly string[] | undefined;
  readonly nonEmpty?: boolean | undefined;
  /** A plain name counts one to one. */
  readonly synonyms?: readonly (string | ConfigSynonym)[] | undefined;
}

/** What the type itself can hold. A long's upper end, 2^63 - 1, is `Infinity` inside. */
const TYPE_RANGES: Readonly<Partial<Record<ConfigType, readonly [min: number, max: number]>>> = {
  int: [-(2 ** 31), 2 ** 31 - 1],
  short: [-(2 ** 15), 2 ** 15 - 1],
};

/** Completes a definition. */
export function defineConfig(name: string, parts: ConfigDefinitionParts): ConfigDefinition {
  const [typeMin, typeMax] = TYPE_RANGES[parts.type] ?? [
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ];
  return Object.freeze({
    name,
    type: parts.type,
    defaultText: parts.default ?? null,
    mode: parts.mode ?? 'static',
    documentation: parts.doc,
    aliases: parts.aliases ?? [],
    min: parts.min ?? typeMin,
    max: parts.max ?? typeMax,
    allowed: parts.allowed ?? [],
    nonEmpty: parts.nonEmpty ?? false,
    synonyms: (parts.synonyms ?? []).map((synonym) =>
      typeof synonym === 'string' ? { name: synonym, factor: 1 } : synonym,
    ),
  });
}
