import {
  DEFAULT_RETRY_POLICY,
  integerOption,
  type ObjectStore,
  type OptionParser,
  type PluginOptions,
  RemoteStorageError,
  readPluginOptions,
  textOption,
} from '@logloft/remote-storage';
import { ACCOUNT_BOUNDS } from './azure-account.ts';
import { AzureObjectStore, type AzureObjectStoreContext } from './azure-object-store.ts';
import { TUNING_BOUNDS } from './azure-settings.ts';

const ATTEMPTS = { fallback: DEFAULT_RETRY_POLICY.maxAttempts, min: 1, max: 20 };

/**
 * The plugin's factory. Options (as properties: `rsm.config.storage.` before each) are those of Aiven's
 * plugin, `azure.container.name`, `azure.account.name` and so on, and more for tuning; the README lists
 * them with their defaults and ranges. No request is made.
 *
 * @throws RemoteStorageError `invalid-configuration` for an unknown option, a value out of its range, or
 *   options that contradict one another
 */
export async function createObjectStore(
  options: PluginOptions,
  context: AzureObjectStoreContext,
): Promise<ObjectStore> {
  const read = readPluginOptions(options, {
    'azure.container.name': textOption(),
    'azure.connection.string': optional,
    'azure.account.name': optional,
    'azure.account.key': optional,
    'azure.sas.token': optional,
    'azure.endpoint.url': optional,
    'azure.upload.block.size': integerOption(TUNING_BOUNDS.blockBytes),
    'azure.upload.blocks.in.flight': integerOption(TUNING_BOUNDS.blocksInFlight),
    'azure.upload.memory.bytes': uploadMemory,
    'azure.upload.checksum': checksum,
    'azure.connections.max': integerOption(ACCOUNT_BOUNDS.maxConnections),
    'azure.connect.timeout.ms': integerOption(ACCOUNT_BOUNDS.connectTimeoutMs),
    'azure.answer.timeout.ms': integerOption(ACCOUNT_BOUNDS.answerTimeoutMs),
    'azure.request.timeout.ms': integerOption(TUNING_BOUNDS.requestTimeoutMs),
    'azure.idle.timeout.ms': integerOption(TUNING_BOUNDS.idleTimeoutMs),
    'azure.retry.max.attempts': integerOption(ATTEMPTS),
    'proxy.host': noProxy,
    'proxy.port': noProxy,
    'proxy.username': noProxy,
    'proxy.password': noProxy,
  });
  return await AzureObjectStore.open(
    {
      container: read['azure.container.name'],
      connectionString: read['azure.connection.string'],
      accountName: read['azure.account.name'],
      accountKey: read['azure.account.key'],
      sasToken: read['azure.sas.token'],
      endpoint: read['azure.endpoint.url'],
      blockBytes: read['azure.upload.block.size'],
      blocksInFlight: read['azure.upload.blocks.in.flight'],
      uploadMemoryBytes: read['azure.upload.memory.bytes'],
      checksum: read['azure.upload.checksum'],
      maxConnections: read['azure.connections.max'],
      connectTimeoutMs: read['azure.connect.timeout.ms'],
      answerTimeoutMs: read['azure.answer.timeout.ms'],
      requestTimeoutMs: read['azure.request.timeout.ms'],
      idleTimeoutMs: read['azure.idle.timeout.ms'],
      retryPolicy: { ...DEFAULT_RETRY_POLICY, maxAttempts: read['azure.retry.max.attempts'] },
    },
    context,
  );
}

function optional(text: string | undefined): string | undefined {
  return text;
}

// Without it, what the blocks need.
function uploadMemory(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  return integerOption(TUNING_BOUNDS.uploadMemoryBytes)(text, name);
}

function checksum(text: string | undefined, name: string): 'none' | 'md5' {
  if (text === undefined || text === 'none') return 'none';
  if (text === 'md5') return 'md5';
  throw new RemoteStorageError(
    'invalid-configuration',
    `Option "${name}" must be none or md5, got ${JSON.stringify(text)}`,
  );
}

const noProxy: OptionParser<undefined> = (text, name) => {
  if (text === undefined) return undefined;
  throw new RemoteStorageError(
    'invalid-configuration',
    `Option "${name}" asks for a SOCKS5 proxy, which is not served here; leave it out and name an HTTP proxy in the environment variable HTTPS_PROXY`,
  );
};
