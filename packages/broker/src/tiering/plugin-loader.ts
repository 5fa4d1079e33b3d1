import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  openRemoteStorage,
  type PluginContext,
  type PluginModule,
  type PluginOptions,
  type RemoteStorageManager,
} from '@logloft/remote-storage';
import { BrokerError } from '../errors.ts';
import type { RemoteStorageChoice } from '../start-broker-options.ts';

/** Aiven's plugin chooses its store by the name of a Java class; each is one of our packages. */
const PACKAGES_BY_JAVA_CLASS: ReadonlyMap<string, string> = new Map([
  ['io.aiven.kafka.tieredstorage.storage.s3.S3Storage', '@logloft/remote-storage-s3'],
  ['io.aiven.kafka.tieredstorage.storage.gcs.GcsStorage', '@logloft/remote-storage-gcs'],
  ['io.aiven.kafka.tieredstorage.storage.azure.AzureBlobStorage', '@logloft/remote-storage-azure'],
  [
    'io.aiven.kafka.tieredstorage.storage.filesystem.FileSystemStorage',
    '@logloft/remote-storage-local',
  ],
]);
const AIVEN_MANAGER = 'io.aiven.kafka.tieredstorage.RemoteStorageManager';
const AIVEN_STORE_OPTION = 'storage.backend.class';

/** How a plugin is opened. */
export interface PluginLoaderOptions {
  readonly options: PluginOptions;
  /** Directory that paths are relative to. */
  readonly base: string;
}

/**
 * Opens a remote store from whatever it was named by.
 *
 * @throws BrokerError `LOGLOFT_BROKER_PLUGIN` when the module cannot be found or loaded
 * @throws RemoteStorageError `invalid-configuration` when its options are wrong
 */
export async function openPlugin(
  choice: RemoteStorageChoice,
  loading: PluginLoaderOptions,
  context: PluginContext,
): Promise<RemoteStorageManager> {
  return await openRemoteStorage(await loadPlugin(choice, loading), loading.options, context);
}

/**
 * The module of a plugin, whatever it was named by, unopened.
 *
 * @throws BrokerError `LOGLOFT_BROKER_PLUGIN` when the module cannot be found or loaded
 */
export async function loadPlugin(
  choice: RemoteStorageChoice,
  { options, base }: PluginLoaderOptions,
): Promise<PluginModule> {
  if (typeof choice === 'string') return await loadModule(specifierOf(choice, options), base);
  if (typeof choice === 'function') return { createRemoteStorage: choice };
  return isManager(choice) ? { createRemoteStorage: () => choice } : choice;
}

function isManager(choice: PluginModule | RemoteStorageManager): choice is RemoteStorageManager {
  return 'copyLogSegmentData' in choice;
}

function specifierOf(name: string, options: PluginOptions): string {
  const isAiven = name === AIVEN_MANAGER;
  const javaClass = isAiven ? (options[AIVEN_STORE_OPTION] ?? '') : name;
  const found = PACKAGES_BY_JAVA_CLASS.get(javaClass);
  if (found !== undefined) return found;
  if (!isAiven) return name;
  throw pluginError(
    `rsm.config.${AIVEN_STORE_OPTION} names no store that is known: expected one of ${[...PACKAGES_BY_JAVA_CLASS.keys()].join(', ')}, got ${JSON.stringify(javaClass)}`,
  );
}

async function loadModule(specifier: string, base: string): Promise<PluginModule> {
  const location = locate(specifier, base);
  try {
    return (await import(location)) as PluginModule;
  } catch (error) {
    throw pluginError(`Cannot load the remote storage plugin ${specifier}`, error);
  }
}

function locate(specifier: string, base: string): string {
  if (specifier.startsWith('.') || isAbsolute(specifier)) {
    return pathToFileURL(resolve(base, specifier)).href;
  }
  if (specifier.startsWith('file:')) return specifier;
  try {
    // As if a file in `base` imported it: a plugin is installed beside the program, not beside us.
    const found = createRequire(join(resolve(base), 'plugin.js')).resolve(specifier);
    return pathToFileURL(found).href;
  } catch (error) {
    throw pluginError(
      `Cannot find the remote storage plugin ${specifier} from ${resolve(base)}. Install it with: npm install ${specifier}`,
      error,
    );
  }
}

function pluginError(message: string, cause?: unknown): BrokerError {
  return new BrokerError('LOGLOFT_BROKER_PLUGIN', message, { cause });
}
