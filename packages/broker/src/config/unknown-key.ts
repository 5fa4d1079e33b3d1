import { ConfigError } from './config-error.ts';
import type { ConfigDefinitions } from './definitions.ts';
import { nearestName } from './nearest-name.ts';

/** Where an unknown name stood. */
export interface UnknownKeyPlace {
  /** Where it was written. */
  readonly origin?: string | undefined;
  /** What every name of these definitions begins with there. */
  readonly prefix?: string | undefined;
}

/** The error for a property that does not exist, with the one that was probably meant. */
export function unknownKey(
  name: string,
  definitions: ConfigDefinitions,
  { origin, prefix = '' }: UnknownKeyPlace = {},
): ConfigError {
  const found = nearestName(name, definitions.names());
  const nearest = found === undefined ? undefined : `${prefix}${found}`;
  const key = `${prefix}${name}`;
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new ConfigError('LOGLOFT_CONFIG_UNKNOWN_KEY', {
    key,
    reason: `There is no property ${JSON.stringify(key)}.${hint}`,
    origin,
    nearest,
  });
}
