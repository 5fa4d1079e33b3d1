import { resolve } from 'node:path';
import { advertisedListenersOf, type ListenerAddress, listenersOf } from '../config/listeners.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { BrokerError } from '../errors.ts';
import type { RemoteStorageChoice, StartBrokerOptions } from '../start-broker-options.ts';

/** What a broker is started with, all sources taken together. */
export interface Settings {
  readonly config: LoadedConfig;
  readonly nodeId: number;
  readonly listeners: readonly ListenerAddress[];
  /** By name of the listener; one that is missing is advertised as it is bound. */
  readonly advertised: ReadonlyMap<
    string,
    { readonly host: string; readonly port?: number | undefined }
  >;
  /** `undefined`: in memory. */
  readonly directory: string | undefined;
  readonly memoryBytes: number;
  readonly remoteStorage: RemoteStorageChoice | undefined;
  readonly remoteStorageOptions: Readonly<Record<string, string>>;
  readonly pluginBase: string;
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_MEMORY_BYTES = 512 * 1024 * 1024;
/** What stands for a store that is given as a thing and not by its name. */
const GIVEN_STORE = 'given-by-the-program';

/**
 * Reads and checks everything that was said about a broker.
 *
 * @throws ConfigError naming the key, the reason and the nearest known name
 * @throws BrokerError `LOGLOFT_BROKER_OPTIONS` when an option contradicts the configuration
 */
export function resolveSettings(options: StartBrokerOptions): Settings {
  const config = loadConfig({
    ...options.configSources,
    presets: [...presetsOf(options), ...Object.entries(options.configSources?.presets ?? {})],
    flags: Object.entries(options.config ?? {}),
  });
  const { values, texts } = config;
  refuseContradictions(options, config);
  const directory = options.directory ?? values.optionalList('log.dirs')?.[0];
  const isTiered = values.boolean('remote.log.storage.system.enable');
  return {
    config,
    nodeId: values.number('node.id'),
    listeners: listenersOf(values),
    advertised: advertisedOf(options, config),
    directory: directory === undefined ? undefined : resolve(directory),
    memoryBytes: options.memoryBytes ?? DEFAULT_MEMORY_BYTES,
    remoteStorage: isTiered
      ? (options.remoteStorage ?? texts.get('remote.log.storage.manager.class.name'))
      : undefined,
    remoteStorageOptions: {
      ...options.remoteStorageOptions,
      ...Object.fromEntries(config.remoteStorageOptions),
    },
    pluginBase: resolve(options.pluginBase ?? '.'),
  };
}

function presetsOf(options: StartBrokerOptions): [key: string, value: string][] {
  const { host = DEFAULT_HOST, port = 0, remoteStorage } = options;
  const address = host.includes(':') ? `[${host}]` : host;
  const presets: [string, string][] = [['listeners', `PLAINTEXT://${address}:${port}`]];
  if (remoteStorage !== undefined) {
    const name = typeof remoteStorage === 'string' ? remoteStorage : GIVEN_STORE;
    presets.push(['remote.log.storage.system.enable', 'true']);
    presets.push(['remote.log.storage.manager.class.name', name]);
  }
  return presets;
}

/** The same thing said twice, differently: better refused than one of the two quietly ignored. */
function refuseContradictions(options: StartBrokerOptions, { origins }: LoadedConfig): void {
  const isConfigured = (key: string): boolean => origins.get(key)?.startsWith('preset') === false;
  const pairs: readonly (readonly [option: keyof StartBrokerOptions, key: string])[] = [
    ['host', 'listeners'],
    ['port', 'listeners'],
    ['advertised', 'advertised.listeners'],
    ['directory', 'log.dirs'],
  ];
  for (const [option, key] of pairs) {
    if (options[option] === undefined || !isConfigured(key)) continue;
    throw new BrokerError(
      'LOGLOFT_BROKER_OPTIONS',
      `The option ${option} was given together with ${key} (${origins.get(key)}). Leave one of them out.`,
    );
  }
}

function advertisedOf(
  options: StartBrokerOptions,
  { values }: LoadedConfig,
): Settings['advertised'] {
  const [first] = listenersOf(values);
  if (options.advertised !== undefined && first !== undefined) {
    return new Map([[first.name, options.advertised]]);
  }
  const configured = advertisedListenersOf(values) ?? [];
  return new Map(configured.map(({ name, host, port }) => [name, { host, port }]));
}
