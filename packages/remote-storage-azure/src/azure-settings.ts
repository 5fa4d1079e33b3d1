import {
  DEFAULT_RETRY_POLICY,
  RemoteStorageError,
  type RetryPolicy,
} from '@logloft/remote-storage';

/** How an Azure store cuts, waits and retries. */
export interface AzureTuning {
  /**
   * Bytes of a block, 64 KiB to 4,000 MiB. An object that is not larger is sent in one request, and
   * grows none beyond its size. Larger objects than 50,000 blocks get larger blocks. Default 8 MiB.
   */
  readonly blockBytes?: number | undefined;
  /** Most blocks of one object being sent at one time, 1 to 64. Default 4. */
  readonly blocksInFlight?: number | undefined;
  /**
   * Most bytes of blocks that all uploads hold at one time, >= `blockBytes`. Default 64 MiB, or two
   * blocks where that is more.
   */
  readonly uploadMemoryBytes?: number | undefined;
  /**
   * `md5`: each request carries a digest of its bytes, which the service compares; it costs about three
   * times the work of sending them. Default `none`: TLS and the length already tell of damage on the way.
   */
  readonly checksum?: 'none' | 'md5' | undefined;
  /** Ms for one small request, login and answer included. Default 30,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Ms without a byte until a transfer counts as cut. Default 30,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Most keys in a page of a listing, 1 to 5,000. Default 5,000. */
  readonly pageKeys?: number | undefined;
  /** How often blocks, pages and deletions are tried. Default: that of `@logloft/remote-storage`. */
  readonly retryPolicy?: RetryPolicy | undefined;
}

/** {@link AzureTuning}, checked and filled in. */
export type ResolvedTuning = {
  readonly [Name in keyof AzureTuning]-?: NonNullable<AzureTuning[Name]>;
};

const KIB = 1024;
const MIB = 1024 * KIB;

/** Most blocks of an object, by the service's rules. */
export const MAX_BLOCKS = 50_000;

/** Bytes of the smallest block that is worth a request. The service has no bound of its own. */
export const MIN_BLOCK_BYTES: number = 64 * KIB;

/** Bytes of the largest block, by the service's rules. */
export const MAX_BLOCK_BYTES: number = 4_000 * MIB;

const MAX_MS = 2_147_483_647;

const DEFAULT_MEMORY_BYTES = 64 * MIB;

/** Bounds of the whole numbers, both inclusive, and their defaults. */
export const TUNING_BOUNDS: Readonly<
  Record<
    | 'blockBytes'
    | 'blocksInFlight'
    | 'uploadMemoryBytes'
    | 'requestTimeoutMs'
    | 'idleTimeoutMs'
    | 'pageKeys',
    { readonly fallback: number; readonly min: number; readonly max: number }
  >
> = Object.freeze({
  blockBytes: { fallback: 8 * MIB, min: MIN_BLOCK_BYTES, max: MAX_BLOCK_BYTES },
  blocksInFlight: { fallback: 4, min: 1, max: 64 },
  uploadMemoryBytes: {
    fallback: DEFAULT_MEMORY_BYTES,
    min: MIN_BLOCK_BYTES,
    max: Number.MAX_SAFE_INTEGER,
  },
  requestTimeoutMs: { fallback: 30_000, min: 1, max: MAX_MS },
  idleTimeoutMs: { fallback: 30_000, min: 1, max: MAX_MS },
  pageKeys: { fallback: 5_000, min: 1, max: 5_000 },
});

/** @throws RemoteStorageError `invalid-configuration` for a value out of its range */
export function resolveTuning(tuning: AzureTuning): ResolvedTuning {
  const blockBytes = inBounds(tuning, 'blockBytes');
  const { uploadMemoryBytes: wanted = Math.max(DEFAULT_MEMORY_BYTES, 2 * blockBytes) } = tuning;
  const uploadMemoryBytes = inBounds({ uploadMemoryBytes: wanted }, 'uploadMemoryBytes');
  if (uploadMemoryBytes < blockBytes) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `uploadMemoryBytes (${uploadMemoryBytes}) must hold a block of blockBytes (${blockBytes})`,
    );
  }
  const { checksum = 'none', retryPolicy = DEFAULT_RETRY_POLICY } = tuning;
  if (checksum !== 'none' && checksum !== 'md5') {
    throw new RemoteStorageError(
      'invalid-configuration',
      `checksum must be "none" or "md5", got ${JSON.stringify(checksum)}`,
    );
  }
  return Object.freeze({
    blockBytes,
    uploadMemoryBytes,
    checksum,
    retryPolicy,
    blocksInFlight: inBounds(tuning, 'blocksInFlight'),
    requestTimeoutMs: inBounds(tuning, 'requestTimeoutMs'),
    idleTimeoutMs: inBounds(tuning, 'idleTimeoutMs'),
    pageKeys: inBounds(tuning, 'pageKeys'),
  });
}

function inBounds(tuning: AzureTuning, name: keyof typeof TUNING_BOUNDS): number {
  const { fallback, min, max } = TUNING_BOUNDS[name];
  const value = tuning[name] ?? fallback;
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new RemoteStorageError(
    'invalid-configuration',
    `${name} must be an integer from ${min} to ${max}, got ${value}`,
  );
}

// Names of the service's own, or 3 to 63 of these letters without two hyphens in a row.
const CONTAINER = /^(?:\$root|\$web|(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*)$/;

/** @throws RemoteStorageError `invalid-configuration` for a name that the service would refuse */
export function assertContainerName(name: string): void {
  if (CONTAINER.test(name)) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `A container's name has 3 to 63 lower-case letters, digits and single hyphens, got ${JSON.stringify(name)}`,
  );
}
