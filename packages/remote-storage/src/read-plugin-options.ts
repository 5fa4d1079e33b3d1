import { RemoteStorageError } from './errors.ts';
import { nearestName } from './nearest-name.ts';
import type { PluginOptions } from './plugin.ts';
import type { OptionParser } from './plugin-option-parsers.ts';

/** What {@link readPluginOptions} makes of a table of parsers. */
export type ParsedOptions<P extends Readonly<Record<string, OptionParser<unknown>>>> = {
  readonly [Name in keyof P]: ReturnType<P[Name]>;
};

/**
 * Reads a plugin's settings. An option that is not known is an error that names the nearest known one:
 * a setting that is silently not used costs its owner days.
 *
 * @throws RemoteStorageError `invalid-configuration`
 */
export function readPluginOptions<P extends Readonly<Record<string, OptionParser<unknown>>>>(
  options: PluginOptions,
  parsers: P,
): ParsedOptions<P> {
  const known = Object.keys(parsers);
  const given = new Map(Object.entries(options));
  for (const name of given.keys()) {
    if (!known.includes(name)) throw unknownOption(name, known);
  }
  const parsed = Object.entries(parsers).map(([name, parse]) => [
    name,
    parse(given.get(name), name),
  ]);
  // The entries are exactly those of the table, each with the type that its parser returns.
  return Object.fromEntries(parsed) as ParsedOptions<P>;
}

function unknownOption(name: string, known: readonly string[]): RemoteStorageError {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return new RemoteStorageError(
    'invalid-configuration',
    `Unknown option "${name}".${hint} Known: ${known.join(', ')}`,
  );
}
