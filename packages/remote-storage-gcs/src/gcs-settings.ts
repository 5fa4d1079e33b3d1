import type { Agent } from 'node:http';
import type { Storage } from '@google-cloud/storage';
import { RemoteStorageError, type RetryPolicy } from '@logloft/remote-storage';
import type { AuthHeaders } from './auth/auth-headers.ts';

const MIB = 1024 * 1024;

/** What every piece of a resumable upload but the last must be a multiple of. */
export const PART_STEP_BYTES: number = 256 * 1024;

/** What a {@link GcsObjectStore} can be tuned by. */
export interface GcsTuning {
  /** Bytes of a part of a large object, a multiple of 256 KiB. Default 8 MiB. */
  readonly partBytes?: number | undefined;
  /** Most bytes that all uploads of the store hold in parts, at least one part. Default 64 MiB. */
  readonly uploadMemoryBytes?: number | undefined;
  /** Most connections to the store, 1 to 1,000. Default 64. Not with `agent`. */
  readonly maxConnections?: number | undefined;
  /** Most deletions under way at one time for one call, 1 to 1,000. Default 16. */
  readonly deleteConcurrency?: number | undefined;
  /** Ms until a connection must stand. Default 5,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Ms from the end of a request to the first byte of its answer. Default 30,000. */
  readonly firstByteTimeoutMs?: number | undefined;
  /** Ms without a byte until a transfer, or the wait for a free connection, is given up. Default 30,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Ms until credentials must have been fetched. Default 10,000. */
  readonly tokenTimeoutMs?: number | undefined;
  /** How parts, pages, deletions and cut downloads are tried again. Default `DEFAULT_RETRY_POLICY`. */
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Whether objects that are read whole are compared with their CRC32C. Default true. */
  readonly verifyReads?: boolean | undefined;
  /** Storage class of new objects. Default: the bucket's. */
  readonly storageClass?: string | undefined;
  /** An agent of one's own, for a proxy or certificates; it is not destroyed with the store. */
  readonly agent?: Agent | undefined;
}

/** Settings of a {@link GcsObjectStore}. */
export interface GcsObjectStoreOptions extends GcsTuning {
  readonly bucket: string;
  /**
   * The SDK's client: its credentials and its endpoint are used. It stays its owner's. Without it, one
   * is made with Google's default credentials.
   */
  readonly client?: Storage | undefined;
  /** Takes the place of the client's credentials. */
  readonly auth?: AuthHeaders | undefined;
}

/** {@link GcsTuning} with all defaults. */
export interface ResolvedTuning {
  readonly partBytes: number;
  readonly uploadMemoryBytes: number;
  readonly maxConnections: number;
  readonly deleteConcurrency: number;
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly tokenTimeoutMs: number;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly verifyReads: boolean;
  readonly storageClass: string | undefined;
  readonly agent: Agent | undefined;
}

/** The defaults of {@link GcsTuning}, and the bounds of each, both inclusive. */
export const TUNING_BOUNDS: Readonly<Record<TunedNumber, NumberBounds>> = Object.freeze({
  partBytes: { fallback: 8 * MIB, min: PART_STEP_BYTES, max: 2_147_483_392 - PART_STEP_BYTES },
  uploadMemoryBytes: { fallback: 64 * MIB, min: PART_STEP_BYTES, max: Number.MAX_SAFE_INTEGER },
  maxConnections: { fallback: 64, min: 1, max: 1_000 },
  deleteConcurrency: { fallback: 16, min: 1, max: 1_000 },
  connectTimeoutMs: { fallback: 5_000, min: 1, max: 2_147_483_647 },
  firstByteTimeoutMs: { fallback: 30_000, min: 1, max: 2_147_483_647 },
  idleTimeoutMs: { fallback: 30_000, min: 1, max: 2_147_483_647 },
  tokenTimeoutMs: { fallback: 10_000, min: 1, max: 2_147_483_647 },
});

const STORAGE_CLASSES: readonly string[] = [
  'STANDARD',
  'NEARLINE',
  'COLDLINE',
  'ARCHIVE',
  'REGIONAL',
  'MULTI_REGIONAL',
  'DURABLE_REDUCED_AVAILABILITY',
];

type TunedNumber =
  | 'partBytes'
  | 'uploadMemoryBytes'
  | 'maxConnections'
  | 'deleteConcurrency'
  | 'connectTimeoutMs'
  | 'firstByteTimeoutMs'
  | 'idleTimeoutMs'
  | 'tokenTimeoutMs';

interface NumberBounds {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Checks every setting, and fills in the defaults.
 *
 * @throws RemoteStorageError `invalid-configuration`
 */
export function resolveTuning(tuning: GcsTuning): ResolvedTuning {
  const partBytes = checked(tuning, 'partBytes');
  if (partBytes % PART_STEP_BYTES !== 0) {
    throw invalid('partBytes', `a multiple of ${PART_STEP_BYTES}`, partBytes);
  }
  const uploadMemoryBytes = checked(tuning, 'uploadMemoryBytes');
  if (uploadMemoryBytes < partBytes) {
    throw invalid('uploadMemoryBytes', `at least one part (${partBytes})`, uploadMemoryBytes);
  }
  return {
    partBytes,
    uploadMemoryBytes,
    maxConnections: checked(tuning, 'maxConnections'),
    deleteConcurrency: checked(tuning, 'deleteConcurrency'),
    connectTimeoutMs: checked(tuning, 'connectTimeoutMs'),
    firstByteTimeoutMs: checked(tuning, 'firstByteTimeoutMs'),
    idleTimeoutMs: checked(tuning, 'idleTimeoutMs'),
    tokenTimeoutMs: checked(tuning, 'tokenTimeoutMs'),
    retryPolicy: tuning.retryPolicy,
    verifyReads: tuning.verifyReads ?? true,
    storageClass: storageClassOf(tuning.storageClass),
    agent: tuning.agent,
  };
}

function storageClassOf(name: string | undefined): string | undefined {
  if (name === undefined || STORAGE_CLASSES.includes(name)) return name;
  throw invalid('storageClass', `one of ${STORAGE_CLASSES.join(', ')}`, name);
}

/** Refuses names that no bucket can have. @throws RemoteStorageError `invalid-configuration` */
export function assertBucketName(bucket: string): void {
  if (/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket)) return;
  throw invalid(
    'bucket',
    'a name of 3 to 222 lower-case letters, digits, dots, dashes and underscores, without gs://',
    bucket,
  );
}

function checked(tuning: GcsTuning, name: TunedNumber): number {
  const { fallback, min, max } = TUNING_BOUNDS[name];
  const value = tuning[name] ?? fallback;
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalid(name, `an integer from ${min} to ${max}`, value);
}

function invalid(name: string, rule: string, value: unknown): RemoteStorageError {
  return new RemoteStorageError(
    'invalid-configuration',
    `${name} must be ${rule}, got ${JSON.stringify(value)}`,
  );
}
