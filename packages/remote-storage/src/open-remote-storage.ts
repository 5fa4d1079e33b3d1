import { RemoteStorageError } from './errors.ts';
import { readLayoutOptions } from './layout/layout-options.ts';
import { ObjectStoreRemoteStorage } from './layout/object-store-remote-storage.ts';
import type { PluginContext, PluginModule, PluginOptions } from './plugin.ts';
import type { RemoteStorageManager } from './remote-storage-manager.ts';

const STORE_PREFIX = 'storage.';

// Aiven's name for the choice of the store. Whoever opens the plugin has made that choice already.
const CHOICE_OF_STORE = 'storage.backend.class';

/**
 * Opens a plugin, whichever of the two factories its module has. One that makes a whole
 * `RemoteStorageManager` gets all options as they are. One that makes only a store gets those that begin
 * with `storage.`, without that prefix, and the default layout gets the others, as in Aiven's plugin.
 *
 * @param options the `rsm.config.*` properties without their prefix
 * @throws RemoteStorageError `invalid-configuration` for a module without exactly one factory, and for
 *   options that are unknown or out of range; and whatever the factory throws
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
  const layoutOptions = readLayoutOptions(layout);
  const store = await createObjectStore?.(storeOptions, context);
  if (store === undefined) throw new TypeError('createObjectStore returned nothing');
  try {
    return new ObjectStoreRemoteStorage(store, layoutOptions, context);
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
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
