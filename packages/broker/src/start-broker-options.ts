import type { Clock, RandomSource } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import type {
  PluginModule,
  RemoteStorageFactory,
  RemoteStorageManager,
} from '@logloft/remote-storage';
import type { BrokerLogger } from './logger.ts';

/** A topic that exists when the broker is ready. */
export interface InitialTopic {
  readonly name: string;
  /** Default: `num.partitions`. */
  readonly partitions?: number | undefined;
  /** Overrides by Kafka's property names. */
  readonly configs?: Readonly<Record<string, string>> | undefined;
}

/**
 * A remote store: a ready instance, the factory or the module of a plugin, or what `import()` finds it
 * by: a package name, or a path relative to `pluginBase`.
 */
export type RemoteStorageChoice =
  | string
  | RemoteStorageFactory
  | PluginModule
  | RemoteStorageManager;

/** What {@link startBroker} can be told. All of it has defaults that suit a test. */
export interface StartBrokerOptions {
  /** Interface to listen on. Default `127.0.0.1`. Not together with `listeners` in `config`. */
  readonly host?: string | undefined;
  /** Port; 0, the default, picks a free one. Not together with `listeners` in `config`. */
  readonly port?: number | undefined;
  /** What clients are told instead of `host` and `port`. Not together with `advertised.listeners` in `config`. */
  readonly advertised?: { readonly host: string; readonly port?: number | undefined } | undefined;
  /**
   * Directory for logs and cluster state, made where it is missing. Without it all is kept in memory
   * and gone at the end. Not together with `log.dirs` in `config`.
   */
  readonly directory?: string | undefined;
  /** Bytes that logs in memory may take, without `directory`. Default 512 MiB. */
  readonly memoryBytes?: number | undefined;
  /** Kafka's broker properties by name, as in a `server.properties` file. */
  readonly config?: Readonly<Record<string, string>> | undefined;
  /** `server.properties` and environment, which `config` wins over. */
  readonly configSources?: ConfigFileAndEnvironment | undefined;
  /** The remote tier. Without it, and without `remote.log.storage.manager.class.name`, there is none. */
  readonly remoteStorage?: RemoteStorageChoice | undefined;
  /** Options of the plugin; those of `rsm.config.*` properties are added. */
  readonly remoteStorageOptions?: Readonly<Record<string, string>> | undefined;
  /** Directory that plugin paths are relative to. Default: the working directory. */
  readonly pluginBase?: string | undefined;
  readonly topics?: readonly InitialTopic[] | undefined;
  /** Default: no log lines. */
  readonly logger?: BrokerLogger | undefined;
  /** Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** Default: that of the operating system. */
  readonly random?: RandomSource | undefined;
  /** Default: a registry of its own. */
  readonly metrics?: MetricsRegistry | undefined;
  /** Removes members of a group whose connection is gone at once: rebalances are quick in tests. Default `false`. */
  readonly forgetMembersOnDisconnect?: boolean | undefined;
}

/** The slower-changing sources of configuration. */
export interface ConfigFileAndEnvironment {
  /** What the program that starts the broker would rather have as defaults; everything else wins. */
  readonly presets?: Readonly<Record<string, string>> | undefined;
  readonly file?: { readonly path: string; readonly text: string } | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Variables that begin with `LOGLOFT_` and mean something else than a property. */
  readonly reservedVariables?: readonly string[] | undefined;
}
