import { checkBrokerRules } from './broker-rules.ts';
import { checkTopicDefaults, twoNames } from './check-broker-config.ts';
import { ConfigError } from './config-error.ts';
import {
  type ConfigSources,
  type WrittenProperty,
  writtenProperties,
} from './config-source-texts.ts';
import { parseConfig } from './config-text.ts';
import { ConfigValues } from './config-values.ts';
import {
  PREFIXES_WITHOUT_EFFECT,
  PROPERTIES_WITHOUT_EFFECT,
  UNSERVED_PREFIXES,
} from './definitions/without-effect.ts';
import { BROKER_CONFIG, type ConfigDefinitions, REMOTE_METADATA_CONFIG } from './definitions.ts';
import { unknownKey } from './unknown-key.ts';

/** The configuration that a broker starts with. */
export interface LoadedConfig {
  /** What is set, by name, as Kafka prints it: the static layer. */
  readonly texts: ReadonlyMap<string, string>;
  /** The same with the defaults, by type. */
  readonly values: ConfigValues;
  /** Where each of `texts` was written. */
  readonly origins: ReadonlyMap<string, string>;
  /** Options of the remote storage plugin, without their prefix. */
  readonly remoteStorageOptions: ReadonlyMap<string, string>;
  /** Settings of the manager of remote metadata. */
  readonly remoteMetadata: ConfigValues;
  /** One line each for what was set and has no effect. */
  readonly warnings: readonly string[];
}

interface Setting {
  /** As it was written: the name or an alias. */
  readonly key: string;
  readonly text: string;
  readonly origin: string;
}

/**
 * Reads the configuration of a broker: flags win over the environment, that over the file, and that
 * over presets and defaults.
 *
 * @throws {@link ConfigError} for the first thing that is wrong: it names the key, the reason, where
 *   it was written, and for an unknown key the nearest known name
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const written = writtenProperties(sources);
  const storagePrefix = prefixIn(written, 'remote.log.storage.manager.impl.prefix');
  const metadataPrefix = prefixIn(written, 'remote.log.metadata.manager.impl.prefix');
  const settings = new Map<string, Setting>();
  const metadataSettings = new Map<string, Setting>();
  const remoteStorageOptions = new Map<string, string>();
  const warnings: string[] = [];

  for (const properties of written) {
    const ofStorage = properties.filter(({ key }) => key.startsWith(storagePrefix));
    const ofMetadata = properties.filter(({ key }) => key.startsWith(metadataPrefix));
    const own = properties.filter(
      ({ key }) => !key.startsWith(storagePrefix) && !key.startsWith(metadataPrefix),
    );
    for (const { key, text } of ofStorage) {
      remoteStorageOptions.set(key.slice(storagePrefix.length), text);
    }
    const broker = { definitions: BROKER_CONFIG, prefix: '', warnings };
    merge(settings, settingsOf(own, broker));
    const metadata = { definitions: REMOTE_METADATA_CONFIG, prefix: metadataPrefix, warnings };
    merge(metadataSettings, settingsOf(ofMetadata, metadata));
  }

  const texts = textsOf(settings);
  const values = new ConfigValues(BROKER_CONFIG, texts);
  const origins = new Map([...settings].map(([name, { origin }]) => [name, origin]));
  withOrigin(origins, () => {
    checkBrokerRules(values);
    checkTopicDefaults({ static: texts, dynamicDefault: new Map(), dynamicBroker: new Map() });
  });
  return {
    texts,
    values,
    origins,
    remoteStorageOptions,
    remoteMetadata: new ConfigValues(REMOTE_METADATA_CONFIG, textsOf(metadataSettings)),
    warnings,
  };
}

/** What the options of a plugin begin with: itself a setting, so it is looked for first. */
function prefixIn(written: readonly (readonly WrittenProperty[])[], name: string): string {
  const definition = BROKER_CONFIG.get(name);
  const last = written.flat().findLast(({ key }) => key === name);
  if (last === undefined) return definition.defaultText ?? '';
  return parseConfig(definition, last.text, last.origin).text;
}

/** Which properties are read, and where what is odd about them is noted. */
interface SettingsScope {
  readonly definitions: ConfigDefinitions;
  /** What their names begin with where they are written. */
  readonly prefix: string;
  readonly warnings: string[];
}

/** What one source sets. Within it two names of one property must not differ; the same name twice is a slip. */
function settingsOf(
  properties: readonly WrittenProperty[],
  scope: SettingsScope,
): ReadonlyMap<string, Setting> {
  const settings = new Map<string, Setting>();
  for (const property of properties) {
    const { key, text, origin } = property;
    const definition = scope.definitions.find(key.slice(scope.prefix.length));
    if (definition === undefined) {
      scope.warnings.push(acceptWithoutEffect(property, scope));
      continue;
    }
    const parsed = parseConfig(definition, text, origin).text;
    const before = settings.get(definition.name);
    if (before?.key === key) {
      scope.warnings.push(`${key} is set twice (${before.origin}, ${origin}); the latter counts.`);
    } else if (before !== undefined && before.text !== parsed) {
      throw twoNames(definition, before.text, parsed, `${before.origin} and ${origin}`);
    }
    settings.set(definition.name, { key, text: parsed, origin });
  }
  return settings;
}

/** The warning for a property of Kafka that changes nothing here. @throws for any other */
function acceptWithoutEffect({ key, origin }: WrittenProperty, scope: SettingsScope): string {
  const name = key.slice(scope.prefix.length);
  const reason = PROPERTIES_WITHOUT_EFFECT.get(name) ?? entryFor(PREFIXES_WITHOUT_EFFECT, name);
  if (reason !== undefined) return `${key} has no effect here: ${reason} (${origin}).`;
  const feature = entryFor(UNSERVED_PREFIXES, name);
  if (feature === undefined) {
    throw unknownKey(name, scope.definitions, { origin, prefix: scope.prefix });
  }
  throw new ConfigError('LOGLOFT_CONFIG_UNSUPPORTED', {
    key,
    reason: `${key} asks for ${feature}, which is not served so far. Remove it.`,
    origin,
  });
}

function entryFor(byPrefix: ReadonlyMap<string, string>, name: string): string | undefined {
  return [...byPrefix].find(([prefix]) => name.startsWith(prefix))?.[1];
}

function merge(target: Map<string, Setting>, later: ReadonlyMap<string, Setting>): void {
  for (const [name, setting] of later) target.set(name, setting);
}

function textsOf(settings: ReadonlyMap<string, Setting>): ReadonlyMap<string, string> {
  return new Map([...settings].map(([name, { text }]) => [name, text]));
}

/** Adds to an error of a rule where its key was written. */
function withOrigin(origins: ReadonlyMap<string, string>, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ConfigError) || error.origin !== undefined) throw error;
    const { code, key, reason, nearest } = error;
    throw new ConfigError(code, { key, reason, nearest, origin: origins.get(key) });
  }
}
