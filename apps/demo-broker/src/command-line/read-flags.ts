import { parseArgs } from 'node:util';
import { FLAGS, type Flag } from './flags.ts';
import { nearestWord } from './nearest-word.ts';
import { UsageError } from './usage-error.ts';

/** The words of a command line, not yet understood. */
export interface FlagsAndWords {
  /** By name; the text of each time it was given, `undefined` where it had no value. */
  readonly flags: ReadonlyMap<string, readonly (string | undefined)[]>;
  readonly words: readonly string[];
}

/**
 * Splits a command line into flags and words.
 *
 * @throws UsageError for an unknown flag (with the nearest known one), a value that is missing or too
 *   much, and a flag that is given twice though it cannot be
 */
export function readFlags(args: readonly string[]): FlagsAndWords {
  const options = Object.fromEntries(
    FLAGS.map((flag) => [
      flag.name,
      {
        type: takesNextWord(flag) ? ('string' as const) : ('boolean' as const),
        multiple: true,
        ...(flag.short === undefined ? {} : { short: flag.short }),
      },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, (string | undefined)[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = known(token.name, token.rawName);
    checkValue(flag, token.value, token.inlineValue === true);
    const given = flags.get(flag.name) ?? [];
    if (given.length > 0 && flag.repeatable !== true) {
      throw new UsageError(`--${flag.name} is given twice. Leave one out.`);
    }
    flags.set(flag.name, [...given, token.value]);
  }
  return { flags, words };
}

function takesNextWord(flag: Flag): boolean {
  return flag.value !== undefined && flag.valueIsOptional !== true;
}

function known(name: string, rawName: string): Flag {
  const flag = FLAGS.find((candidate) => candidate.name === name);
  if (flag !== undefined) return flag;
  const nearest = nearestWord(
    name,
    FLAGS.map((candidate) => candidate.name),
  );
  const hint = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
  throw new UsageError(`There is no flag ${rawName}.${hint}`);
}

function checkValue(flag: Flag, value: string | undefined, isInline: boolean): void {
  if (flag.value === undefined && value !== undefined) {
    throw new UsageError(`--${flag.name} takes no value, got ${JSON.stringify(value)}.`);
  }
  const looksLikeFlag = value?.startsWith('-') === true && !isInline;
  const isMissing = value === undefined ? takesNextWord(flag) : value === '' || looksLikeFlag;
  if (isMissing)
    throw new UsageError(`--${flag.name} needs a value: --${flag.name} ${flag.value}.`);
}
