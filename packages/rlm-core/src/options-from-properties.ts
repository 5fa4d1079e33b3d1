import { ByteLimit } from '@logloft/quota';
import { RemoteLogError } from './errors.ts';
import { checkedNumber, type RemoteLogManagerOptions } from './options.ts';
import { REMOTE_LOG_MANAGER_PROPERTIES, type RemoteLogManagerProperty } from './properties.ts';

/**
 * Reads options from Kafka's properties. Properties that are not the remote log manager's are left alone.
 *
 * @throws RemoteLogError `LOGLOFT_RLM_INVALID_OPTION` for a value that cannot be used, and when both
 *   names of a property have different values
 */
export function optionsFromProperties(
  properties: ReadonlyMap<string, string>,
): RemoteLogManagerOptions {
  const options: Record<string, unknown> = {};
  for (const property of REMOTE_LOG_MANAGER_PROPERTIES) {
    const text = textOf(property, properties);
    if (text !== undefined) options[property.option] = parse(property, text);
  }
  // Each value has the type of its option, by the table.
  return options as RemoteLogManagerOptions;
}

function textOf(
  property: RemoteLogManagerProperty,
  properties: ReadonlyMap<string, string>,
): string | undefined {
  const { name, alias } = property;
  const value = properties.get(name);
  const other = alias === undefined ? undefined : properties.get(alias);
  if (value !== undefined && other !== undefined && !sameValue(property, value, other)) {
    throw new RemoteLogError(
      'LOGLOFT_RLM_INVALID_OPTION',
      `${name} is ${value} and ${alias}, its other name, is ${other}; set one of them, or both to the same value`,
    );
  }
  return value ?? other;
}

function sameValue(property: RemoteLogManagerProperty, a: string, b: string): boolean {
  return String(parse(property, a)) === String(parse(property, b));
}

function parse(property: RemoteLogManagerProperty, text: string): unknown {
  const trimmed = text.trim();
  switch (property.type) {
    case 'limit':
      return parseLimit(property, trimmed);
    case 'choice':
      if (property.choices.includes(trimmed)) return trimmed;
      throw invalid(property, `one of ${property.choices.join(', ')}`, text);
    default:
      if (!/^[-+]?\d+(\.\d+)?$/.test(trimmed)) throw invalid(property, 'a number', text);
      return checkedNumber(property, Number(trimmed));
  }
}

function parseLimit(property: RemoteLogManagerProperty, text: string): ByteLimit {
  try {
    const limit = ByteLimit.parse(text);
    if (limit.bytesPerSecond >= 1) return limit;
  } catch (error) {
    throw invalid(property, 'bytes per second', text, error);
  }
  throw invalid(property, 'at least 1 byte per second', text);
}

function invalid(
  property: RemoteLogManagerProperty,
  expected: string,
  text: string,
  cause?: unknown,
): RemoteLogError {
  return new RemoteLogError(
    'LOGLOFT_RLM_INVALID_OPTION',
    `${property.name} has to be ${expected}, got ${JSON.stringify(text)}`,
    { cause },
  );
}
