import {
  flagOption,
  integerOption,
  type OptionParser,
  type ParsedOptions,
  type PluginOptions,
  RemoteStorageError,
  readPluginOptions,
} from '@logloft/remote-storage';
import { type GcsTuning, PART_STEP_BYTES, TUNING_BOUNDS } from './gcs-settings.ts';

/** Where the credentials of a plugin come from. */
export type CredentialsChoice =
  | { readonly kind: 'default' }
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'path'; readonly path: string };

/** A plugin's options, read and checked. */
export interface PluginSettings {
  readonly bucket: string;
  readonly endpoint: string | undefined;
  readonly credentials: CredentialsChoice;
  readonly tuning: GcsTuning;
}

const optionalText: OptionParser<string | undefined> = (text) => text;

const optionalFlag: OptionParser<boolean | undefined> = (text, name) =>
  text === undefined ? undefined : flagOption(false)(text, name);

const bucketOption: OptionParser<string> = (text, name) => {
  const bucket = text?.trim() ?? '';
  if (bucket !== '') return bucket;
  throw invalid(`Option "${name}" is required: the name of the bucket, without gs://`);
};

// Aiven's plugin has them; here a proxy is the matter of an agent.
const noProxy: OptionParser<undefined> = (text, name) => {
  if (text === undefined) return undefined;
  throw invalid(
    `Option "${name}" is not supported: construct a GcsObjectStore with an agent for the proxy`,
  );
};

const PARSERS = {
  'gcs.bucket.name': bucketOption,
  'gcs.endpoint.url': optionalText,
  'gcs.credentials.default': optionalFlag,
  'gcs.credentials.json': optionalText,
  'gcs.credentials.path': optionalText,
  'gcs.resumable.upload.chunk.size': integerOption(TUNING_BOUNDS.partBytes),
  'gcs.storage.class': optionalText,
  'gcs.upload.memory.size': integerOption(TUNING_BOUNDS.uploadMemoryBytes),
  'gcs.connections.max': integerOption(TUNING_BOUNDS.maxConnections),
  'gcs.delete.concurrency': integerOption(TUNING_BOUNDS.deleteConcurrency),
  'gcs.connect.timeout.ms': integerOption(TUNING_BOUNDS.connectTimeoutMs),
  'gcs.first.byte.timeout.ms': integerOption(TUNING_BOUNDS.firstByteTimeoutMs),
  'gcs.idle.timeout.ms': integerOption(TUNING_BOUNDS.idleTimeoutMs),
  'gcs.token.timeout.ms': integerOption(TUNING_BOUNDS.tokenTimeoutMs),
  'gcs.verify.reads.enabled': flagOption(true),
  'proxy.host': noProxy,
  'proxy.port': noProxy,
  'proxy.username': noProxy,
  'proxy.password': noProxy,
} satisfies Readonly<Record<string, OptionParser<unknown>>>;

/** Names of all options. */
export const OPTION_NAMES: readonly string[] = Object.keys(PARSERS);

/**
 * Reads the options of the plugin.
 *
 * @throws RemoteStorageError `invalid-configuration`
 */
export function readPluginSettings(options: PluginOptions): PluginSettings {
  const read = readPluginOptions(options, PARSERS);
  const partBytes = read['gcs.resumable.upload.chunk.size'];
  if (partBytes % PART_STEP_BYTES !== 0) {
    throw invalid(
      `Option "gcs.resumable.upload.chunk.size" must be a multiple of ${PART_STEP_BYTES}, got ${partBytes}`,
    );
  }
  const uploadMemoryBytes = read['gcs.upload.memory.size'];
  if (uploadMemoryBytes < partBytes) {
    throw invalid(
      `Option "gcs.upload.memory.size" must hold a part of gcs.resumable.upload.chunk.size (${partBytes}), got ${uploadMemoryBytes}`,
    );
  }
  return {
    bucket: read['gcs.bucket.name'],
    endpoint: endpointOption(read['gcs.endpoint.url']),
    credentials: credentialsChoice(read),
    tuning: {
      partBytes,
      uploadMemoryBytes,
      storageClass: read['gcs.storage.class'],
      maxConnections: read['gcs.connections.max'],
      deleteConcurrency: read['gcs.delete.concurrency'],
      connectTimeoutMs: read['gcs.connect.timeout.ms'],
      firstByteTimeoutMs: read['gcs.first.byte.timeout.ms'],
      idleTimeoutMs: read['gcs.idle.timeout.ms'],
      tokenTimeoutMs: read['gcs.token.timeout.ms'],
      verifyReads: read['gcs.verify.reads.enabled'],
    },
  };
}

function credentialsChoice(read: ParsedOptions<typeof PARSERS>): CredentialsChoice {
  const names = [
    'gcs.credentials.default',
    'gcs.credentials.json',
    'gcs.credentials.path',
  ] as const;
  const given = names.filter((name) => read[name] !== undefined);
  if (given.length > 1) {
    throw invalid(`Only one of ${names.join(', ')} may be set, got ${given.join(' and ')}`);
  }
  const { [names[0]]: fallback, [names[1]]: text, [names[2]]: path } = read;
  if (text !== undefined) return { kind: 'json', text };
  if (path !== undefined) return { kind: 'path', path };
  if (fallback !== undefined) return { kind: fallback ? 'default' : 'none' };
  // A store of one's own, an emulator for example, may want none.
  if (read['gcs.endpoint.url'] !== undefined) return { kind: 'none' };
  throw invalid(
    `One of ${names.join(', ')} must be set; gcs.credentials.default=true takes those of the environment`,
  );
}

function endpointOption(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text.trim());
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) {
    return url.href.replace(/\/+$/, '');
  }
  throw invalid(
    `Option "gcs.endpoint.url" must be an address such as https://storage.googleapis.com, got ${JSON.stringify(text)}`,
  );
}

function invalid(message: string): RemoteStorageError {
  return new RemoteStorageError('invalid-configuration', message);
}
