import { type ConfiguredPlugin, configuredPlugin } from '@logloft/broker';
import type { StartCommand } from './command-line/command.ts';
import type { CommandSurroundings } from './running-command.ts';
import { readSettings } from './settings.ts';
import { brokerOptionsFor } from './start-options.ts';

/** What names a remote store on the command line. */
export interface StoreFlags {
  readonly remoteStorage: string | undefined;
  readonly configFile: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}

/**
 * The plugin that `logloft start` would tier with when given the same flags.
 *
 * @param directory where a local store keeps its files; `undefined` for nowhere
 * @returns `undefined` when neither flags nor configuration name one
 * @throws UsageError when a flag makes no sense
 * @throws ConfigError when the configuration is wrong
 */
export async function configuredStore(
  flags: StoreFlags,
  directory: string | undefined,
  { environment }: Pick<CommandSurroundings, 'environment'>,
): Promise<ConfiguredPlugin | undefined> {
  const settings = await readSettings(flags, environment);
  const isNamed =
    flags.remoteStorage !== undefined || settings.isSet('remote.log.storage.manager.class.name');
  if (!isNamed) return undefined;
  const { remoteStorage } = flags;
  const command = { ...NOTHING_ELSE, remoteStorage };
  return await configuredPlugin(brokerOptionsFor({ command, settings, directory }));
}

const NOTHING_ELSE: Pick<StartCommand, 'host' | 'port' | 'advertised' | 'memoryBytes'> = {
  host: undefined,
  port: undefined,
  advertised: undefined,
  memoryBytes: undefined,
};
