import { propertyOf } from './environment.ts';
import { parseProperties } from './properties-file.ts';

/** Everything that can be said about the configuration of a broker. */
export interface ConfigSources {
  /** What the program that starts the broker sets, as if it were the default. */
  readonly presets?: Iterable<readonly [key: string, value: string]> | undefined;
  /** The text of a `server.properties` file; `path` is for messages. */
  readonly file?: { readonly path: string; readonly text: string } | undefined;
  /** Variables: those that begin with `LOGLOFT_` set properties. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Variables with that beginning which mean something else. */
  readonly reservedVariables?: readonly string[] | undefined;
  /** `--set key=value`. */
  readonly flags?: Iterable<readonly [key: string, value: string]> | undefined;
}

/** A property as somebody wrote it. */
export interface WrittenProperty {
  readonly key: string;
  readonly text: string;
  readonly origin: string;
}

/**
 * What was written, source by source; a later source wins over those before it.
 *
 * @throws ConfigError `LOGLOFT_CONFIG_SYNTAX`
 */
export function writtenProperties(sources: ConfigSources): readonly (readonly WrittenProperty[])[] {
  return [
    fromPairs(sources.presets ?? [], 'preset'),
    fromFile(sources.file),
    fromEnvironment(sources),
    fromPairs(sources.flags ?? [], 'flag'),
  ];
}

function fromPairs(
  pairs: Iterable<readonly [string, string]>,
  kind: string,
): readonly WrittenProperty[] {
  return [...pairs].map(([key, text]) => ({ key, text, origin: `${kind} ${key}` }));
}

function fromFile(file: ConfigSources['file']): readonly WrittenProperty[] {
  if (file === undefined) return [];
  return parseProperties(file.text, file.path).map(({ key, value, line }) => ({
    key,
    text: value,
    origin: `${file.path} line ${line}`,
  }));
}

function fromEnvironment(sources: ConfigSources): readonly WrittenProperty[] {
  const written: WrittenProperty[] = [];
  for (const [variable, text] of Object.entries(sources.environment ?? {})) {
    const key = propertyOf(variable);
    const isReserved = sources.reservedVariables?.includes(variable) === true;
    if (key === undefined || text === undefined || isReserved) continue;
    written.push({ key, text, origin: `environment variable ${variable}` });
  }
  return written;
}
