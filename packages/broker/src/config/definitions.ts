import type { ConfigDefinition } from './config-definition.ts';
import { GROUP_DEFINITIONS } from './definitions/group.ts';
import { LOG_DEFINITIONS } from './definitions/log.ts';
import { REMOTE_DEFINITIONS, REMOTE_METADATA_DEFINITIONS } from './definitions/remote.ts';
import { SERVER_DEFINITIONS } from './definitions/server.ts';
import { TOPIC_DEFINITIONS } from './definitions/topic.ts';

/** Definitions by name, with the aliases that lead to them. */
export class ConfigDefinitions implements Iterable<ConfigDefinition> {
  readonly #byName: ReadonlyMap<string, ConfigDefinition>;
  readonly #byAnyName: ReadonlyMap<string, ConfigDefinition>;

  constructor(definitions: readonly ConfigDefinition[]) {
    this.#byName = new Map(definitions.map((definition) => [definition.name, definition]));
    this.#byAnyName = new Map(
      definitions.flatMap((definition) =>
        [definition.name, ...definition.aliases].map((name) => [name, definition] as const),
      ),
    );
  }

  /** The definition of a property, by its name or an alias. */
  find(name: string): ConfigDefinition | undefined {
    return this.#byAnyName.get(name);
  }

  /** The definition of a property which the program knows to exist. @throws TypeError when it does not */
  get(name: string): ConfigDefinition {
    const definition = this.#byName.get(name);
    if (definition === undefined) throw new TypeError(`There is no property ${name}`);
    return definition;
  }

  /** All names, aliases among them. */
  names(): Iterable<string> {
    return this.#byAnyName.keys();
  }

  [Symbol.iterator](): Iterator<ConfigDefinition> {
    return this.#byName.values();
  }
}

/** Every property of the broker. */
export const BROKER_CONFIG: ConfigDefinitions = new ConfigDefinitions([
  ...SERVER_DEFINITIONS,
  ...LOG_DEFINITIONS,
  ...GROUP_DEFINITIONS,
  ...REMOTE_DEFINITIONS,
]);

/** Every property of a topic. */
export const TOPIC_CONFIG: ConfigDefinitions = new ConfigDefinitions(TOPIC_DEFINITIONS);

/** Every property of the manager of remote metadata, without the prefix. */
export const REMOTE_METADATA_CONFIG: ConfigDefinitions = new ConfigDefinitions(
  REMOTE_METADATA_DEFINITIONS,
);
