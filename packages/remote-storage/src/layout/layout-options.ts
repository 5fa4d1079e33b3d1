import { RemoteStorageError } from '../errors.ts';
import type { PluginOptions } from '../plugin.ts';
import { flagOption, integerOption, namesOption, textOption } from '../plugin-option-parsers.ts';
import { readPluginOptions } from '../read-plugin-options.ts';
import type { EncryptionKeyPair } from '../transform/key-pair.ts';
import { CUSTOM_METADATA_FIELDS, type CustomMetadataField } from './custom-metadata.ts';
import { MAX_CHUNK_BYTES } from './log-cut.ts';

/** How segments are encrypted. */
export interface EncryptionOptions {
  /** Whether new segments are encrypted; old ones are read in any case. Default true. (`encryption.enabled`) */
  readonly enabled?: boolean | undefined;
  /** Id of the pair for new segments; required when they are encrypted. (`encryption.key.pair.id`) */
  readonly keyPairId?: string | undefined;
  /** All pairs that segments were written with, and the one for new ones. (`encryption.key.pairs`) */
  readonly keyPairs: readonly EncryptionKeyPair[];
}

/** Settings of the default layout. Names in brackets are those of the `rsm.config.` properties. */
export interface LayoutOptions {
  /** Glued in front of every key as it is, so end it with `/`. Default `''`. (`key.prefix`) */
  readonly keyPrefix?: string | undefined;
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
  /** What the catalogue keeps for us. Default nothing. (`custom.metadata.fields.include`) */
  readonly customMetadataFields?: readonly CustomMetadataField[] | undefined;
  /** Most manifests in memory, 0 for none. Default 1,000. (`fetch.manifest.cache.size`) */
  readonly manifestCacheEntries?: number | undefined;
  /** Ms a manifest is kept after its last use. Default one hour. (`fetch.manifest.cache.retention.ms`) */
  readonly manifestCacheRetentionMs?: number | undefined;
  /** Ms for a small request and for the first answer of a read, an attempt. Default 10,000. (`request.timeout.ms`) */
  readonly requestTimeoutMs?: number | undefined;
  /** Ms without a byte until a transfer is given up. Default 30,000. (`idle.timeout.ms`) */
  readonly idleTimeoutMs?: number | undefined;
  /** Ms for one copy in all. Default one day; what hangs is found by `idleTimeoutMs` long before. (`copy.timeout.ms`) */
  readonly copyTimeoutMs?: number | undefined;
  /** Attempts for each request, 1 to 20. Default 3. (`retry.max.attempts`) */
  readonly maxAttempts?: number | undefined;
}

const DAY_MS = 86_400_000;
const MAX_MS = 2_147_483_647;
const MAX_COUNT = 1_000_000;

/**
 * Reads {@link LayoutOptions} from a plugin's settings, under the names of Aiven's plugin where it
 * has one for them.
 *
 * @throws RemoteStorageError `invalid-configuration` for unknown names, values out of range, and for
 *   compression and encryption, which do not exist yet
 */
export function readLayoutOptions(options: PluginOptions): LayoutOptions {
  const timeout = (fallback: number): ReturnType<typeof integerOption> =>
    integerOption({ fallback, min: 1, max: MAX_MS });
  const read = readPluginOptions(options, {
    'key.prefix': textOption(''),
    'chunk.size': integerOption({ fallback: 4 * 1024 * 1024, min: 1, max: MAX_CHUNK_BYTES }),
    'custom.metadata.fields.include': namesOption(CUSTOM_METADATA_FIELDS),
    'fetch.manifest.cache.size': integerOption({ fallback: 1_000, min: 0, max: MAX_COUNT }),
    'fetch.manifest.cache.retention.ms': timeout(3_600_000),
    'request.timeout.ms': timeout(10_000),
    'idle.timeout.ms': timeout(30_000),
    'copy.timeout.ms': timeout(DAY_MS),
    'retry.max.attempts': integerOption({ fallback: 3, min: 1, max: 20 }),
    'compression.enabled': flagOption(false),
    'encryption.enabled': flagOption(false),
  });
  for (const name of ['compression.enabled', 'encryption.enabled'] as const) {
    if (!read[name]) continue;
    throw new RemoteStorageError(
      'invalid-configuration',
      `Option "${name}" is true, but this version writes plain segments only; set it to false`,
    );
  }
  return {
    keyPrefix: read['key.prefix'],
    chunkBytes: read['chunk.size'],
    customMetadataFields: read['custom.metadata.fields.include'],
    manifestCacheEntries: read['fetch.manifest.cache.size'],
    manifestCacheRetentionMs: read['fetch.manifest.cache.retention.ms'],
    requestTimeoutMs: read['request.timeout.ms'],
    idleTimeoutMs: read['idle.timeout.ms'],
    copyTimeoutMs: read['copy.timeout.ms'],
    maxAttempts: read['retry.max.attempts'],
  };
}
