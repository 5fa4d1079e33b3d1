import { ConfigError } from './config-error.ts';

/** One property as it stands in a file. */
export interface PropertyLine {
  readonly key: string;
  readonly value: string;
  /** Number of the (first) line, from 1. */
  readonly line: number;
}

interface LogicalLine {
  readonly text: string;
  readonly line: number;
}

/**
 * Reads the text of a `.properties` file, with Java's rules: `#` and `!` begin comments; key and
 * value are parted by `=`, `:` or blanks; a backslash at the end of a line continues it, and
 * elsewhere escapes (`\t`, `\n`, `\r`, `\f`, `\uXXXX`, any other character as itself).
 *
 * @param path for errors
 * @throws {@link ConfigError} `LOGLOFT_CONFIG_SYNTAX` for a wrong `\u` escape
 */
export function parseProperties(text: string, path: string): readonly PropertyLine[] {
  const lines: PropertyLine[] = [];
  for (const { text: logical, line } of logicalLines(text)) {
    const keyEnd = endOfKey(logical);
    const origin = `${path} line ${line}`;
    lines.push({
      key: withoutEscapes(logical.slice(0, keyEnd), origin),
      value: withoutEscapes(logical.slice(startOfValue(logical, keyEnd)), origin),
      line,
    });
  }
  return lines;
}

function* logicalLines(text: string): Generator<LogicalLine> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = at + 1;
    const parts = [withoutIndent(lines[at] ?? '')];
    if (parts[0] === '' || parts[0]?.startsWith('#') || parts[0]?.startsWith('!')) continue;
    while (continues(parts.at(-1) ?? '')) {
      parts.push(parts.pop()?.slice(0, -1) ?? '');
      at += 1;
      parts.push(withoutIndent(lines[at] ?? ''));
    }
    yield { text: parts.join(''), line };
  }
}

function withoutIndent(line: string): string {
  return line.replace(/^[ \t\f]+/, '');
}

/** An odd number of backslashes at the end: the last one is not itself escaped. */
function continues(line: string): boolean {
  const backslashes = /\\*$/.exec(line)?.[0].length ?? 0;
  return backslashes % 2 === 1;
}

function endOfKey(line: string): number {
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '\\') at += 1;
    else if ('=: \t\f'.includes(character)) return at;
  }
  return line.length;
}

/** Behind blanks, at most one `=` or `:`, and blanks again. */
function startOfValue(line: string, keyEnd: number): number {
  const separator = /^[ \t\f]*[=:]?[ \t\f]*/.exec(line.slice(keyEnd));
  return keyEnd + (separator?.[0].length ?? 0);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
]);

function withoutEscapes(text: string, origin: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(u[0-9a-fA-F]{4}|[\s\S]|$)/g, (_, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    if (escaped === 'u') {
      throw new ConfigError('LOGLOFT_CONFIG_SYNTAX', {
        key: '',
        reason: 'A \\u must be followed by four hexadecimal digits; write \\\\ for a backslash.',
        origin,
      });
    }
    return ESCAPES.get(escaped) ?? escaped;
  });
}
