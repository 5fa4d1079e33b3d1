import { isRemoteStorageError, RemoteStorageError } from './errors.ts';
import { type LayoutOptions, readLayoutOptions } from './layout/layout-options.ts';
import { ObjectStoreRemoteStorage } from './layout/object-store-remote-storage.ts';
import type { PluginContext, PluginModule, PluginOptions } from './plugin.ts';
import type { RemoteStorageManager } from './remote-storage-manager.ts';
import { loadKeyFiles } from './transform/load-key-files.ts';

const STORE_PREFIX = 'storage.';

// Aiven's name for the choice of the store. Whoever opens the plugin has made that choice already.
const CHOICE_OF_STORE = 'storage.backend.class';

const DAY_MS = 86_400_000;

/**
 * Opens a plugin, whichever of the two factories its module has. One that makes a whole
 * `RemoteStorageManager` gets all options as they are. One that makes only a store gets those that begin
 * with `storage.`, without that prefix, and the default layout gets the others, as in Aiven's plugin.
 * Over a store that can leave uploads unfinished, old ones are removed in the background.
 *
 * @param options the `rsm.config.*` properties without their prefix
 * @throws RemoteStorageError `invalid-configuration` for a module without exactly one factory, and for
 *   options that are unknown or out of range, or name a key file that cannot be used; and whatever the
 *   factory throws
 */
export async function openRemoteStorage(
  module: PluginModule,
  options: PluginOptions,
  context: PluginContext,
): Promise<RemoteStorageManager> {
  const { createRemoteStorage, createObjectStore } = module;
  if ((createRemoteStorage === undefined) === (createObjectStore === undefined)) {
    throw new RemoteStorageError(
      'invalid-configuration',
      'A plugin module must export exactly one of createRemoteStorage and createObjectStore',
    );
  }
  if (createRemoteStorage !== undefined) return await createRemoteStorage(options, context);
  const { store: storeOptions, layout } = split(options);
  // Before the store is opened, so that a mistyped option leaves nothing to close.
  const layoutOptions = await loadKeyFiles(readLayoutOptions(layout));
  const store = await createObjectStore?.(storeOptions, context);
  if (store === undefined) throw new TypeError('createObjectStore returned nothing');
  let storage: ObjectStoreRemoteStorage;
  try {
    storage = new ObjectStoreRemoteStorage(store, layoutOptions, context);
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
  if (store.removeUnfinished !== undefined) void removeUnfinished(storage, layoutOptions, context);
  return storage;
}

// What crashed writers left costs money unseen, but nobody waits for it to go.
async function removeUnfinished(
  storage: ObjectStoreRemoteStorage,
  { unfinishedUploadsMaxAgeMs: olderThanMs = DAY_MS }: LayoutOptions,
  { logger }: PluginContext,
): Promise<void> {
  if (olderThanMs === 0) return;
  try {
    const count = await storage.removeUnfinishedUploads({ olderThanMs });
    if (count > 0) logger.info('Unfinished uploads were removed', { count, olderThanMs });
  } catch (error) {
    if (isRemoteStorageError(error) && error.kind === 'aborted') return;
    logger.warn('Unfinished uploads could not be removed; they are tried again at the next start', {
      error,
    });
  }
}

function split(options: PluginOptions): {
  readonly store: PluginOptions;
  readonly layout: PluginOptions;
} {
  const store: [string, string][] = [];
  const layout: [string, string][] = [];
  for (const [name, value] of Object.entries(options)) {
    if (name === CHOICE_OF_STORE) continue;
    if (name.startsWith(STORE_PREFIX)) store.push([name.slice(STORE_PREFIX.length), value]);
    else layout.push([name, value]);
  }
  return { store: Object.fromEntries(store), layout: Object.fromEntries(layout) };
}
