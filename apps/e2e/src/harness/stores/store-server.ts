import { systemClock, systemRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import type { ObjectStore, ObjectStoreFactory, PluginContext } from '@logloft/remote-storage';

/** The prefix of plugin options among the properties of a broker. */
const OPTION_PREFIX = 'rsm.config.';
const STORE_PREFIX = 'storage.';

/** A server that an adapter talks to, with an empty bucket. */
export interface StoreServer {
  /** The word of `--remote-storage`. */
  readonly flag: 's3' | 'gcs' | 'azure';
  /** What runs, for people. */
  readonly title: string;
  /** Without a path. */
  readonly url: string;
  /** Options of the adapter, without `storage.`, with another URL where a proxy stands in front. */
  readonly optionsAt: (url: string) => Readonly<Record<string, string>>;
  readonly createObjectStore: ObjectStoreFactory;
  /** Options that make uploads have parts with as few bytes as the store allows, and bytes that need several. */
  readonly smallParts: {
    readonly options: Readonly<Record<string, string>>;
    readonly bytes: number;
  };
  /** Uploads that were begun and not finished; `undefined` where the store does not tell. */
  readonly unfinishedUploads: (() => Promise<number>) | undefined;
}

/** The options of the adapter as properties of a broker. */
export function storeProperties(server: StoreServer): Readonly<Record<string, string>> {
  const options = Object.entries(server.optionsAt(server.url));
  return Object.fromEntries(
    options.map(([name, value]) => [`${OPTION_PREFIX}${STORE_PREFIX}${name}`, value]),
  );
}

/** Opens the bucket beside the broker, to look at it and to do it harm. */
export async function openBucket(server: StoreServer): Promise<ObjectStore> {
  return await server.createObjectStore(server.optionsAt(server.url), pluginContext());
}

/** What a plugin is run with where no broker does. */
export function pluginContext(): PluginContext {
  const nothing = (): void => undefined;
  return {
    clock: systemClock,
    random: systemRandom,
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    metrics: new MetricsRegistry({ clock: systemClock }),
    brokerId: 0,
  };
}
