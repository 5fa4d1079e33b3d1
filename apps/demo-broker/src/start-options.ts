import { join } from 'node:path';
import type { StartBrokerOptions } from '@logloft/broker';
import type { StartCommand } from './command-line/command.ts';
import type { Settings } from './settings.ts';
import { chooseStore } from './stores.ts';

const DEFAULT_PORT = 9092;

/** What the command sets where nobody else does, so that its first minute is a good one. */
const PRESETS: ReadonlyMap<string, string> = new Map([
  // A development broker has one member a group, and that one would wait for others.
  ['group.initial.rebalance.delay.ms', '0'],
]);

/** Topics that are made by themselves take part in the remote tier, when there is one. */
const TIER_BY_DEFAULT = 'log.remote.storage.enable';

/** Properties that say which remote tier there is; with one of them the command does not choose. */
const STORE_PROPERTIES = [
  'remote.log.storage.system.enable',
  'remote.log.storage.manager.class.name',
] as const;

/** What {@link brokerOptionsFor} goes by. */
export interface StartRequest {
  readonly command: Pick<
    StartCommand,
    'host' | 'port' | 'advertised' | 'memoryBytes' | 'remoteStorage'
  >;
  readonly settings: Settings;
  /** Where data goes; `undefined`: memory, or where `log.dirs` says. */
  readonly directory: string | undefined;
}

/** Whether logs are kept where the configuration says, and not where the command would put them. */
export function hasOwnLogDirectory(settings: Settings): boolean {
  return settings.isSet('log.dirs');
}

/**
 * Turns the command line into options of `startBroker`. What the configuration settles is left to it.
 *
 * @throws UsageError when flags contradict one another
 */
export function brokerOptionsFor({
  command,
  settings,
  directory,
}: StartRequest): StartBrokerOptions {
  const { memoryBytes, advertised } = command;
  const isStoreConfigured =
    command.remoteStorage === undefined && STORE_PROPERTIES.some((name) => settings.isSet(name));
  const choice = isStoreConfigured ? 'none' : command.remoteStorage;
  const store = chooseStore({ choice, directory, memoryBytes });
  return {
    ...listenOptions(command, settings),
    ...(advertised === undefined ? {} : { advertised }),
    ...(directory === undefined ? {} : { directory: join(directory, 'log') }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...store,
    config: Object.fromEntries(settings.flags),
    configSources: {
      ...settings.sources,
      presets: presetsFor({ isTiered: store.remoteStorage !== undefined }),
    },
  };
}

/** Host and port of the flags; the defaults only where the configuration has no listeners. */
function listenOptions(
  { host, port }: Pick<StartCommand, 'host' | 'port'>,
  settings: Settings,
): Pick<StartBrokerOptions, 'host' | 'port'> {
  const isConfigured = settings.isSet('listeners');
  const chosenPort = port ?? (isConfigured ? undefined : DEFAULT_PORT);
  return {
    ...(host === undefined ? {} : { host }),
    ...(chosenPort === undefined ? {} : { port: chosenPort }),
  };
}

function presetsFor({
  isTiered,
}: {
  readonly isTiered: boolean;
}): Readonly<Record<string, string>> {
  return Object.fromEntries(isTiered ? [...PRESETS, [TIER_BY_DEFAULT, 'true']] : PRESETS);
}
