import { type ConfigSources, writtenProperties } from './config-source-texts.ts';
import { BROKER_CONFIG } from './definitions.ts';

/**
 * The properties that sources set, by name (never by alias), whether they are right or not. For a
 * program that chooses a default of its own only where nobody else has said anything.
 *
 * @throws ConfigError `LOGLOFT_CONFIG_SYNTAX` when a source cannot be read
 */
export function configuredProperties(sources: ConfigSources): ReadonlySet<string> {
  const written = writtenProperties(sources).flat();
  return new Set(written.map(({ key }) => BROKER_CONFIG.find(key)?.name ?? key));
}
