import {
  flagOption,
  type ObjectStore,
  type PluginOptions,
  readPluginOptions,
  textOption,
} from '@logloft/remote-storage';
import { LocalObjectStore, type LocalObjectStoreContext } from './local-object-store.ts';

/**
 * The plugin's factory. Options (as properties: `rsm.config.storage.` before each):
 * - `root`, required: the directory; created if it is missing;
 * - `fsync.enabled`, default `true`: whether what was written survives a crash of the machine.
 *
 * @throws RemoteStorageError `invalid-configuration` for an unknown or missing option; by kind when the
 *   directory cannot be used
 */
export async function createObjectStore(
  options: PluginOptions,
  context: LocalObjectStoreContext,
): Promise<ObjectStore> {
  const read = readPluginOptions(options, {
    root: textOption(),
    'fsync.enabled': flagOption(true),
  });
  return await LocalObjectStore.open({ root: read.root, fsync: read['fsync.enabled'] }, context);
}
