/** Tags as a plain object or as pairs of name and value. */
export type MetricTags =
  | Readonly<Record<string, string>>
  | Iterable<readonly [name: string, value: string]>;

/** What a {@link MetricName} is made of. */
export interface MetricNameParts {
  readonly name: string;
  readonly group: string;
  /** Shown to people; not part of the identity. Default: empty. */
  readonly description?: string | undefined;
  /** Default: none. */
  readonly tags?: MetricTags | undefined;
}

/**
 * Identifies a metric by name, group and tags. Tags keep the order in which they were given, but
 * the order is not part of the identity, nor is the description.
 */
export class MetricName {
  readonly name: string;
  readonly group: string;
  readonly description: string;
  readonly tags: ReadonlyMap<string, string>;
  /** Equal for equal names and different for different ones: the key for maps of metrics. */
  readonly key: string;

  constructor(parts: MetricNameParts) {
    this.name = parts.name;
    this.group = parts.group;
    this.description = parts.description ?? '';
    this.tags = new Map(tagEntries(parts.tags));
    this.key = JSON.stringify([this.group, this.name, ...[...this.tags].sort(byTagName)]);
  }

  /** Whether `other` names the same metric. */
  equals(other: MetricName): boolean {
    return this.key === other.key;
  }

  /** The name for people: `group/name{tag=value, ...}`. */
  toString(): string {
    const tags = [...this.tags].map(([name, value]) => `${name}=${value}`);
    return `${this.group}/${this.name}{${tags.join(', ')}}`;
  }
}

/** The pairs of `tags`, in order. */
export function tagEntries(
  tags: MetricTags | undefined,
): Iterable<readonly [name: string, value: string]> {
  if (tags === undefined) return [];
  return isIterable(tags) ? tags : Object.entries(tags);
}

function isIterable(tags: MetricTags): tags is Iterable<readonly [string, string]> {
  return Symbol.iterator in tags;
}

function byTagName(a: readonly [string, string], b: readonly [string, string]): number {
  if (a[0] === b[0]) return 0;
  return a[0] < b[0] ? -1 : 1;
}
