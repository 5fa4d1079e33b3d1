import type { ConfigDefinition } from './config-definition.ts';
import { ConfigError } from './config-error.ts';

/** A value as the broker works with it. A long above 2^53, Kafka's largest among them, is `Infinity`. */
export type ConfigValue = boolean | number | string | readonly string[];

/** A value with the text that stands for it everywhere outside. */
export interface ParsedConfig {
  /**
   * As Kafka prints it. Kept beside the value, since a long beyond 2^53 is not exact as a number.
   */
  readonly text: string;
  readonly value: ConfigValue;
}

/** Kafka's largest long, which it prints where there is no limit. */
export const LONG_MAX_TEXT = '9223372036854775807';

const LONG_MAX = 2n ** 63n - 1n;
const LONG_MIN = -(2n ** 63n);

/**
 * Reads a value as Kafka does, and checks it against its definition.
 *
 * @param origin where it was written, for the error
 * @throws {@link ConfigError} `LOGLOFT_CONFIG_INVALID_VALUE` naming key, value and what is allowed
 */
export function parseConfig(
  definition: ConfigDefinition,
  text: string,
  origin?: string,
): ParsedConfig {
  const parsed = parseByType(definition, text.trim());
  if (parsed === undefined || !isAllowed(definition, parsed.value)) {
    throw new ConfigError('LOGLOFT_CONFIG_INVALID_VALUE', {
      key: definition.name,
      reason: `${definition.name} must be ${describeAllowed(definition)}; got ${quote(definition, text)}.`,
      origin,
    });
  }
  return parsed;
}

/** What a property may be, as words: "an int of at least 1", "one of producer, gzip". */
function describeAllowed(definition: ConfigDefinition): string {
  const { type, allowed, nonEmpty } = definition;
  if (type === 'boolean') return 'true or false';
  if (type === 'list' && allowed.length > 0) return `a list of ${allowed.join(', ')}`;
  if (allowed.length > 0) return `one of ${allowed.join(', ')}`;
  if (isNumeric(definition)) return describeRange(definition);
  if (type === 'list') return nonEmpty ? 'a list of at least one item' : 'a list';
  return nonEmpty ? 'a text that is not empty' : 'a text';
}

/** Whether values of this type are numbers. */
function isNumeric({ type }: ConfigDefinition): boolean {
  return type === 'int' || type === 'short' || type === 'long' || type === 'double';
}

/** A number of ms, bytes or the like as Kafka prints a long; `Infinity` is its largest. */
export function printLong(value: number): string {
  return value === Number.POSITIVE_INFINITY ? LONG_MAX_TEXT : BigInt(value).toString();
}

function describeRange({ type, min, max }: ConfigDefinition): string {
  const isOpen = type === 'long' || type === 'double';
  const hasMin = min !== Number.NEGATIVE_INFINITY;
  const hasMax = max !== Number.POSITIVE_INFINITY;
  const article = type === 'int' ? 'an' : 'a';
  if (hasMin && hasMax) return `${article} ${type} from ${min} to ${max}`;
  if (hasMin) return `${article} ${type} of at least ${min}`;
  return isOpen && hasMax ? `${article} ${type} of at most ${max}` : `${article} ${type}`;
}

function parseByType(definition: ConfigDefinition, text: string): ParsedConfig | undefined {
  switch (definition.type) {
    case 'boolean':
      return parseBoolean(text);
    case 'int':
    case 'short':
    case 'long':
      return parseInteger(text);
    case 'double':
      return parseDouble(text);
    case 'list':
      return parseList(text);
    case 'string':
    case 'class':
    case 'password':
      return { text, value: text };
  }
}

function parseBoolean(text: string): ParsedConfig | undefined {
  const lower = text.toLowerCase();
  if (lower !== 'true' && lower !== 'false') return undefined;
  return { text: lower, value: lower === 'true' };
}

function parseInteger(text: string): ParsedConfig | undefined {
  // The length is checked before the conversion, which takes time in its square.
  if (text.length > 40 || !/^[+-]?\d+$/.test(text)) return undefined;
  const exact = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (exact > LONG_MAX || exact < LONG_MIN) return undefined;
  // Beyond 2^53 a number is not exact, and for any count of ms or bytes the same as no limit.
  const value = exact > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : Number(exact);
  return { text: exact.toString(), value };
}

function parseDouble(text: string): ParsedConfig | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? { text: printDouble(value), value } : undefined;
}

/** As Java's `Double.toString`: always a fraction, and an exponent outside [10^-3, 10^7). */
function printDouble(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e7)) {
    const plain = String(value);
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}

function parseList(text: string): ParsedConfig {
  const items = text === '' ? [] : text.split(',').map((item) => item.trim());
  return { text: items.join(','), value: Object.freeze(items) };
}

function isAllowed(definition: ConfigDefinition, value: ConfigValue): boolean {
  if (typeof value === 'number') return value >= definition.min && value <= definition.max;
  if (typeof value === 'boolean') return true;
  if (definition.nonEmpty && value.length === 0) return false;
  const { allowed } = definition;
  if (allowed.length === 0) return true;
  return typeof value === 'string'
    ? allowed.includes(value)
    : value.every((item) => allowed.includes(item));
}

function quote({ type }: ConfigDefinition, text: string): string {
  if (type === 'password') return 'a hidden value';
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
