import type { ConfigDefinition } from './config-definition.ts';
import { type ConfigValue, parseConfig } from './config-text.ts';
import type { ConfigDefinitions } from './definitions.ts';

/**
 * Values of properties by type, the defaults among them. Names are those of the definitions; a name
 * or a type that does not fit is a mistake of the program, and throws a `TypeError`.
 */
export class ConfigValues {
  readonly #definitions: ConfigDefinitions;
  readonly #values = new Map<string, ConfigValue>();

  /**
   * @param texts what is set, by name; what is not has its default
   * @throws ConfigError `LOGLOFT_CONFIG_INVALID_VALUE`
   */
  constructor(definitions: ConfigDefinitions, texts: ReadonlyMap<string, string>) {
    this.#definitions = definitions;
    for (const definition of definitions) {
      const text = texts.get(definition.name) ?? definition.defaultText;
      if (text !== null) this.#values.set(definition.name, parseConfig(definition, text).value);
    }
  }

  /** Whether it is set, or has a default. */
  has(name: string): boolean {
    this.#definitions.get(name);
    return this.#values.has(name);
  }

  boolean(name: string): boolean {
    const value = this.#get(name);
    if (typeof value === 'boolean') return value;
    throw mismatch(this.#definitions.get(name), 'boolean');
  }

  /** An int, short, long or double. The largest long is `Infinity`: no limit. */
  number(name: string): number {
    const value = this.#get(name);
    if (typeof value === 'number') return value;
    throw mismatch(this.#definitions.get(name), 'number');
  }

  string(name: string): string {
    const value = this.#get(name);
    if (typeof value === 'string') return value;
    throw mismatch(this.#definitions.get(name), 'string');
  }

  list(name: string): readonly string[] {
    const value = this.#get(name);
    if (typeof value === 'object') return value;
    throw mismatch(this.#definitions.get(name), 'list');
  }

  /** Like {@link ConfigValues.string}, for a property that need not be set. */
  optionalString(name: string): string | undefined {
    return this.has(name) ? this.string(name) : undefined;
  }

  /** Like {@link ConfigValues.list}, for a property that need not be set. */
  optionalList(name: string): readonly string[] | undefined {
    return this.has(name) ? this.list(name) : undefined;
  }

  #get(name: string): ConfigValue {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    throw new TypeError(`${this.#definitions.get(name).name} is not set, and has no default`);
  }
}

function mismatch({ name, type }: ConfigDefinition, asked: string): TypeError {
  return new TypeError(`${name} is of type ${type}, and was asked for as ${asked}`);
}
