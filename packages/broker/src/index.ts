export type { Broker, PartitionStatus, StartReport, WaitOptions } from './broker-handle.ts';
export { ConfigError } from './config/config-error.ts';
export type { ConfigSources } from './config/config-source-texts.ts';
export { configuredProperties } from './config/configured-properties.ts';
export { type ConfiguredPlugin, configuredPlugin } from './configured-plugin.ts';
export type { BrokerErrorCode } from './errors.ts';
export { BrokerError, ListenError } from './errors.ts';
export type { BrokerLogger } from './logger.ts';
export { silentLogger } from './logger.ts';
export { startBroker } from './start-broker.ts';
export type {
  ConfigFileAndEnvironment,
  InitialTopic,
  RemoteStorageChoice,
  StartBrokerOptions,
} from './start-broker-options.ts';
