import { ConfigError } from './config-error.ts';
import type { ConfigDefinitions } from './definitions.ts';
import type { EffectiveConfig } from './effective-config.ts';

/** One operation of IncrementalAlterConfigs. */
export interface ConfigOperation {
  readonly name: string;
  /** 0 sets, 1 deletes, 2 appends to a list, 3 takes out of a list. */
  readonly operation: number;
  readonly value: string | null;
}

/** What the operations work on. */
export interface ConfigTarget {
  readonly definitions: ConfigDefinitions;
  /** What is set on the resource. */
  readonly current: ReadonlyMap<string, string>;
  /** What counts for it: the lists that are appended to. */
  readonly effective: EffectiveConfig;
}

const SET = 0;
const DELETE = 1;
const APPEND = 2;
const SUBTRACT = 3;

/**
 * What is set on a resource after the operations of IncrementalAlterConfigs. Values and unknown names
 * are not looked at: the result goes to `checkTopicConfig` or `checkBrokerConfig`.
 *
 * @throws {@link ConfigError} for a key twice, an unknown operation, a missing value, a list
 *   operation on what is no list
 */
export function applyOperations(
  target: ConfigTarget,
  operations: readonly ConfigOperation[],
): ReadonlyMap<string, string> {
  const result = new Map(target.current);
  const seen = new Set<string>();
  for (const operation of operations) {
    const name = target.definitions.find(operation.name)?.name ?? operation.name;
    refuseRepeated(name, seen);
    const text = apply(target, name, operation);
    if (text === null) result.delete(name);
    else result.set(name, text);
  }
  return result;
}

/** What is set on a resource after AlterConfigs, which replaces all of it. @throws {@link ConfigError} */
export function replaceConfig(
  definitions: ConfigDefinitions,
  entries: readonly { readonly name: string; readonly value: string | null }[],
): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  const seen = new Set<string>();
  for (const { name: given, value } of entries) {
    const name = definitions.find(given)?.name ?? given;
    refuseRepeated(name, seen);
    if (value === null) throw invalidChange(name, `${name} was given no value.`);
    result.set(name, value);
  }
  return result;
}

/** The new text, or `null` for none. */
function apply(
  target: ConfigTarget,
  name: string,
  { operation, value }: ConfigOperation,
): string | null {
  if (operation === DELETE) return null;
  if (operation !== SET && operation !== APPEND && operation !== SUBTRACT) {
    throw invalidChange(
      name,
      `The operation on ${name} must be 0 (set), 1 (delete), 2 (append) or 3 (subtract); got ${operation}.`,
    );
  }
  if (value === null) {
    throw invalidChange(name, `${name} was given no value. To go back to the default, delete it.`);
  }
  if (operation === SET) return value;
  return changeList(target, { name, value, appends: operation === APPEND });
}

function changeList(
  { definitions, effective }: ConfigTarget,
  change: { readonly name: string; readonly value: string; readonly appends: boolean },
): string {
  const { name, value, appends } = change;
  const definition = definitions.find(name);
  // An unknown name is left to the check of the result.
  if (definition === undefined) return value;
  if (definition.type !== 'list') {
    throw new ConfigError('LOGLOFT_CONFIG_INVALID_VALUE', {
      key: name,
      reason: `${name} is of type ${definition.type}; only lists can be appended to or subtracted from.`,
    });
  }
  const items = itemsOf(effective.get(name)?.text ?? '');
  const changed = itemsOf(value);
  if (!appends) return items.filter((item) => !changed.includes(item)).join(',');
  return [...items, ...changed.filter((item) => !items.includes(item))].join(',');
}

function itemsOf(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(',').map((item) => item.trim());
}

function refuseRepeated(name: string, seen: Set<string>): void {
  if (seen.has(name)) throw invalidChange(name, `${name} is there more than once. Give it once.`);
  seen.add(name);
}

function invalidChange(key: string, reason: string): ConfigError {
  return new ConfigError('LOGLOFT_CONFIG_INVALID_CHANGE', { key, reason });
}
