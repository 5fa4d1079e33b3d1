import { CACHE_OPTION_PARSERS, type CacheOptions, cacheOptionsOf } from '../cache/cache-options.ts';
import { RemoteStorageError } from '../errors.ts';
import type { PluginOptions } from '../plugin.ts';
import {
  flagOption,
  integerOption,
  namesOption,
  type OptionParser,
  textOption,
} from '../plugin-option-parsers.ts';
import { readPluginOptions } from '../read-plugin-options.ts';
import { CUSTOM_METADATA_FIELDS, type CustomMetadataField } from './custom-metadata.ts';
import {
  type EncryptionOptions,
  encryptionParsers,
  readEncryptionOptions,
} from './encryption-options.ts';
import { MAX_CHUNK_BYTES } from './log-cut.ts';

/** Settings of the default layout. Names in brackets are those of the `rsm.config.` properties. */
export interface LayoutOptions {
  /** Glued in front of every key as it is, so end it with `/`. Default `''`. (`key.prefix`) */
  readonly keyPrefix?: string | undefined;
  /** Whether errors and logs print `<prefix>/` in its place. Default false. (`key.prefix.mask`) */
  readonly keyPrefixMask?: boolean | undefined;
  /** Bytes of a chunk, 1 to 2^30 - 1. Default 4 MiB. (`chunk.size`) */
  readonly chunkBytes?: number | undefined;
  /** Whether each chunk is compressed with zstd. Default false. (`compression.enabled`) */
  readonly compressionEnabled?: boolean | undefined;
  /**
   * Whether segments stay as they are whose first record batch is compressed already. Default false.
   * (`compression.heuristic.enabled`)
   */
  readonly compressionHeuristicEnabled?: boolean | undefined;
  /** Keys, and whether new segments are encrypted. Default: neither. */
  readonly encryption?: EncryptionOptions | undefined;
  /** Bytes per second of all copies together, >= 1. Default no bound. (`upload.rate.limit.bytes.per.second`) */
  readonly uploadBytesPerSecond?: number | undefined;
  /** What the catalogue keeps for us. Default nothing. (`custom.metadata.fields.include`) */
  readonly customMetadataFields?: readonly CustomMetadataField[] | undefined;
  /** Most manifests in memory, 0 for none. Default 1,000. (`fetch.manifest.cache.size`) */
  readonly manifestCacheEntries?: number | undefined;
  /** Ms a manifest is kept after its last use. Default one hour. (`fetch.manifest.cache.retention.ms`) */
  readonly manifestCacheRetentionMs?: number | undefined;
  /** Caches of chunks and indexes, and how reads are made. (`fetch.…`) */
  readonly cache?: CacheOptions | undefined;
  /** Ms for a small request and for the first answer of a read, an attempt. Default 10,000. (`request.timeout.ms`) */
  readonly requestTimeoutMs?: number | undefined;
  /** Ms without a byte until a transfer is given up. Default 30,000. (`idle.timeout.ms`) */
  readonly idleTimeoutMs?: number | undefined;
  /** Ms for one copy in all. Default one day; what hangs is found by `idleTimeoutMs` long before. (`copy.timeout.ms`) */
  readonly copyTimeoutMs?: number | undefined;
  /** Attempts for each request, 1 to 20. Default 3. (`retry.max.attempts`) */
  readonly maxAttempts?: number | undefined;
  /**
   * Ms after which an upload that nobody finished is removed when the storage is opened, 0 for never.
   * Default one day. (`unfinished.uploads.max.age.ms`)
   */
  readonly unfinishedUploadsMaxAgeMs?: number | undefined;
}

const DAY_MS = 86_400_000;
const MAX_MS = 2_147_483_647;
const MAX_COUNT = 1_000_000;

// Settings of Aiven's plugin for what it calls an alpha: segments stored as tables.
const TABLES = /^(structure\.provider\.|iceberg\.)/;

/**
 * Reads {@link LayoutOptions} from a plugin's settings, under the names of Aiven's plugin where it
 * has one for them. Key files are named in the result; `loadKeyFiles` reads them.
 *
 * @throws RemoteStorageError `invalid-configuration` for unknown names and values out of range
 */
export function readLayoutOptions(options: PluginOptions): LayoutOptions {
  const tables = Object.keys(options).find((name) => TABLES.test(name));
  if (tables !== undefined) throw notServed(tables);
  const parsers = layoutParsers();
  const all: Readonly<Record<string, OptionParser<unknown>>> = {
    ...parsers,
    ...encryptionParsers(options),
  };
  readPluginOptions(options, all);
  const given = new Map(Object.entries(options));
  const fixed = Object.keys(parsers).flatMap((name): [string, string][] => {
    const value = given.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const read = readPluginOptions(Object.fromEntries(fixed), parsers);
  return {
    keyPrefix: read['key.prefix'],
    keyPrefixMask: read['key.prefix.mask'],
    chunkBytes: read['chunk.size'],
    compressionEnabled: read['compression.enabled'],
    compressionHeuristicEnabled: read['compression.heuristic.enabled'],
    encryption: readEncryptionOptions(options),
    uploadBytesPerSecond: read['upload.rate.limit.bytes.per.second'],
    customMetadataFields: read['custom.metadata.fields.include'],
    manifestCacheEntries: read['fetch.manifest.cache.size'],
    manifestCacheRetentionMs: read['fetch.manifest.cache.retention.ms'],
    cache: cacheOptionsOf(read),
    requestTimeoutMs: read['request.timeout.ms'],
    idleTimeoutMs: read['idle.timeout.ms'],
    copyTimeoutMs: read['copy.timeout.ms'],
    maxAttempts: read['retry.max.attempts'],
    unfinishedUploadsMaxAgeMs: read['unfinished.uploads.max.age.ms'],
  };
}

function layoutParsers() {
  const timeout = (fallback: number): ReturnType<typeof integerOption> =>
    integerOption({ fallback, min: 1, max: MAX_MS });
  return {
    'key.prefix': textOption(''),
    'key.prefix.mask': flagOption(false),
    'chunk.size': integerOption({ fallback: 4 * 1024 * 1024, min: 1, max: MAX_CHUNK_BYTES }),
    'compression.enabled': flagOption(false),
    'compression.heuristic.enabled': flagOption(false),
    'upload.rate.limit.bytes.per.second': rateOption,
    'custom.metadata.fields.include': namesOption(CUSTOM_METADATA_FIELDS),
    'fetch.manifest.cache.size': integerOption({ fallback: 1_000, min: 0, max: MAX_COUNT }),
    'fetch.manifest.cache.retention.ms': timeout(3_600_000),
    ...CACHE_OPTION_PARSERS,
    'request.timeout.ms': timeout(10_000),
    'idle.timeout.ms': timeout(30_000),
    'copy.timeout.ms': timeout(DAY_MS),
    'retry.max.attempts': integerOption({ fallback: 3, min: 1, max: 20 }),
    'unfinished.uploads.max.age.ms': integerOption({ fallback: DAY_MS, min: 0, max: MAX_MS }),
    'segment.format': kafkaFormat,
    // Of Aiven's plugin; metrics here are sampled as the whole broker's are.
    'metrics.num.samples': integerOption({ fallback: 2, min: 1, max: MAX_COUNT }),
    'metrics.sample.window.ms': timeout(30_000),
    'metrics.recording.level': textOption('INFO'),
  };
}

function rateOption(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  return integerOption({ fallback: 1, min: 1, max: Number.MAX_SAFE_INTEGER })(text, name);
}

function kafkaFormat(text: string | undefined, name: string): 'kafka' {
  if (text === undefined || text.trim().toLowerCase() === 'kafka') return 'kafka';
  throw notServed(`${name}=${text}`);
}

function notServed(what: string): RemoteStorageError {
  return new RemoteStorageError(
    'invalid-configuration',
    `Option "${what}" asks for segments as tables, which Aiven's plugin offers as an alpha and this one does ` +
      'not serve; remove it',
  );
}
