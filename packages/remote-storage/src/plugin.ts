import type { Clock, RandomSource } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import type { ObjectStore } from './object-store.ts';
import type { RemoteStorageManager } from './remote-storage-manager.ts';

/** Where a component writes its log lines. */
export interface PluginLogger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What a plugin gets from whoever runs it. */
export interface PluginContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: PluginLogger;
  readonly metrics: MetricsRegistry;
  readonly brokerId: number;
}

/** Settings of a plugin: the `rsm.config.*` properties without their prefix. */
export type PluginOptions = Readonly<Record<string, string>>;

/** A factory that makes the whole contract by itself. */
export type RemoteStorageFactory = (
  options: PluginOptions,
  context: PluginContext,
) => Promise<RemoteStorageManager> | RemoteStorageManager;

/** A factory that makes only the store; layout and all that stands on it is added. */
export type ObjectStoreFactory = (
  options: PluginOptions,
  context: PluginContext,
) => Promise<ObjectStore> | ObjectStore;

/** The shape of a plugin's module: exactly one of the two factories, by name. */
export interface PluginModule {
  readonly createRemoteStorage?: RemoteStorageFactory | undefined;
  readonly createObjectStore?: ObjectStoreFactory | undefined;
}
