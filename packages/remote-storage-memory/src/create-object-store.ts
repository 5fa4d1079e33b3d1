import {
  integerOption,
  type ObjectStore,
  type PluginOptions,
  readPluginOptions,
} from '@logloft/remote-storage';
import { MemoryObjectStore } from './memory-object-store.ts';

/**
 * The plugin's factory. Option `max.bytes` (as a property: `rsm.config.storage.max.bytes`): most bytes
 * kept, 1 to 2^53 - 1, default 536870912 (512 MiB).
 *
 * @throws RemoteStorageError `invalid-configuration` for an unknown option or a value out of range
 */
export function createObjectStore(options: PluginOptions): ObjectStore {
  const read = readPluginOptions(options, {
    'max.bytes': integerOption({
      fallback: 512 * 1024 * 1024,
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
    }),
  });
  return new MemoryObjectStore({ maxBytes: read['max.bytes'] });
}
