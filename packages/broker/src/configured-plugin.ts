import type { PluginModule, PluginOptions } from '@logloft/remote-storage';
import { resolveSettings } from './start/settings.ts';
import type { StartBrokerOptions } from './start-broker-options.ts';
import { loadPlugin } from './tiering/plugin-loader.ts';

/** The plugin that a broker would tier with, and its options. */
export interface ConfiguredPlugin {
  readonly module: PluginModule;
  /** Those of `rsm.config.*` properties, without the prefix, among them. */
  readonly options: PluginOptions;
}

/**
 * Finds the plugin of the remote tier as {@link startBroker} would with the same options, and opens
 * neither it nor a broker: for tools that look at the store alone.
 *
 * @returns `undefined` when that broker would have no remote tier
 * @throws ConfigError when the configuration is wrong
 * @throws BrokerError `LOGLOFT_BROKER_PLUGIN` when the plugin cannot be found or loaded
 */
export async function configuredPlugin(
  options: StartBrokerOptions,
): Promise<ConfiguredPlugin | undefined> {
  const { remoteStorage, remoteStorageOptions, pluginBase } = resolveSettings(options);
  if (remoteStorage === undefined) return undefined;
  const loading = { options: remoteStorageOptions, base: pluginBase };
  return { module: await loadPlugin(remoteStorage, loading), options: remoteStorageOptions };
}
