import type { S3Client } from '@aws-sdk/client-s3';
import { type PluginContext, RemoteStorageError, type RetryPolicy } from '@logloft/remote-storage';
import type { CredentialProvider, StaticCredentials } from './credentials.ts';

/** What an S3 object store needs of a plugin's context. */
export type S3ObjectStoreContext = Pick<PluginContext, 'clock' | 'logger' | 'random'>;

/** How the connection to a store is made, where no ready client is given. */
export interface S3Connection {
  /** Default: that of the environment or the shared configuration; `us-east-1` with an `endpoint`. */
  readonly region?: string | undefined;
  /** Default: that of AWS for the region. */
  readonly endpoint?: string | undefined;
  /** Whether the bucket goes into the path instead of the host name. Default: true with an `endpoint`. */
  readonly pathStyle?: boolean | undefined;
  /** Default: the SDK's own chain (environment, shared files, web identity, container, instance). */
  readonly credentials?: StaticCredentials | CredentialProvider | undefined;
  /** Whether the certificate of the store must be good. Default true. */
  readonly certificateCheck?: boolean | undefined;
  /** Most connections at one time, >= 1; further requests wait. Default 64. */
  readonly maxConnections?: number | undefined;
  /** Ms until a connection stands. Default 5,000. */
  readonly connectTimeoutMs?: number | undefined;
}

/** How objects are written, read and deleted. */
export interface S3Tuning {
  /** Bytes of a part, from 5 MiB. Objects up to this size are one request. Default 8 MiB. */
  readonly partBytes?: number | undefined;
  /** Most parts of one object being sent at one time, >= 1. Default 4. */
  readonly partsInFlight?: number | undefined;
  /** Most bytes of all parts in memory, of all uploads together. Default 64 MiB, or one part. */
  readonly uploadMemoryBytes?: number | undefined;
  /** Ms of a request without a byte sent, until its answer begins. Default 30,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Ms for a request with all its repetitions. Default: no limit besides the others. */
  readonly callTimeoutMs?: number | undefined;
  /** Ms without a byte until a body that is being read counts as cut. Default 30,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** How parts, pages and batches are tried again. Default: that of `@logloft/remote-storage`. */
  readonly retryPolicy?: RetryPolicy | undefined;
  /** `none` for stores that refuse checksum headers. Default `crc32`. */
  readonly checksums?: 'crc32' | 'none' | undefined;
  /** Whether objects that are read whole are compared with the checksum that the store keeps. Default true. */
  readonly verifyReads?: boolean | undefined;
  /** Whether bodies are part of the signature (SHA-256), besides their checksum. Default false. */
  readonly signedPayload?: boolean | undefined;
  /** Whether the store honours `If-None-Match: *`, also when an upload of parts is completed. Default true. */
  readonly conditionalWrites?: boolean | undefined;
  /** Whether many objects are deleted in one request. Default `batch`. */
  readonly deleteObjects?: 'batch' | 'single' | undefined;
  /** Whether batches of deletes carry Content-MD5 instead of a checksum. Default: with `checksums` `none`. */
  readonly deleteMd5?: boolean | undefined;
  /** Default: that of the bucket. Archive classes are refused. */
  readonly storageClass?: string | undefined;
  /** Default: that of the bucket. */
  readonly serverSideEncryption?: 'AES256' | 'aws:kms' | undefined;
  /** Key for `aws:kms`. Default: that of the account. */
  readonly kmsKeyId?: string | undefined;
}

/** Settings of an S3 object store. */
export interface S3ObjectStoreOptions extends S3Tuning {
  readonly bucket: string;
  /**
   * A ready client; it stays the caller's, and {@link S3ObjectStoreOptions.connection} is not used. Give it
   * `maxAttempts: 1`: repetitions are the store's own affair.
   */
  readonly client?: S3Client | undefined;
  readonly connection?: S3Connection | undefined;
}

/** Settings with all defaults filled in. */
export interface ResolvedS3Settings {
  readonly bucket: string;
  readonly partBytes: number;
  readonly partsInFlight: number;
  readonly uploadMemoryBytes: number;
  readonly requestTimeoutMs: number;
  readonly callTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly checksums: 'crc32' | 'none';
  readonly verifyReads: boolean;
  readonly signedPayload: boolean;
  readonly conditionalWrites: boolean;
  readonly deleteObjects: 'batch' | 'single';
  readonly deleteMd5: boolean;
  readonly storageClass: string | undefined;
  readonly serverSideEncryption: 'AES256' | 'aws:kms' | undefined;
  readonly kmsKeyId: string | undefined;
}

/** Smallest part but the last that S3 takes, in bytes. */
export const MIN_PART_BYTES = 5_242_880;
/** Most parts of one object. */
export const MAX_PARTS = 10_000;
/** Largest part in bytes: what one `Buffer` and Aiven's option hold. */
export const MAX_PART_BYTES = 2_147_483_639;

const MIB = 1024 * 1024;
const MAX_MS = 2_147_483_647;
const ARCHIVES = ['GLACIER', 'DEEP_ARCHIVE'];

/**
 * Checks settings, and fills in the defaults.
 *
 * @throws RemoteStorageError `invalid-configuration`
 */
export function resolveSettings(options: S3ObjectStoreOptions): ResolvedS3Settings {
  const settings = withDefaults(options);
  const { bucket, storageClass, kmsKeyId, callTimeoutMs = 1 } = settings;
  if (bucket === '') throw invalid('The bucket needs a name ("s3.bucket.name")');
  requireInteger('partBytes', settings.partBytes, { min: MIN_PART_BYTES, max: MAX_PART_BYTES });
  requireInteger('partsInFlight', settings.partsInFlight, { min: 1, max: MAX_PARTS });
  requireInteger('maxConnections', settings.maxConnections, { min: 1, max: 65_535 });
  requireInteger('callTimeoutMs', callTimeoutMs, { min: 1, max: MAX_MS });
  for (const name of ['requestTimeoutMs', 'idleTimeoutMs', 'connectTimeoutMs'] as const) {
    requireInteger(name, settings[name], { min: 1, max: MAX_MS });
  }
  if (storageClass !== undefined && ARCHIVES.includes(storageClass.toUpperCase())) {
    throw invalid(`Storage class ${storageClass} cannot be read at once: no segment may be there`);
  }
  if (kmsKeyId !== undefined && settings.serverSideEncryption !== 'aws:kms') {
    throw invalid('A KMS key is of use with server-side encryption aws:kms only');
  }
  return settings;
}

function withDefaults(options: S3ObjectStoreOptions): ResolvedS3Settings {
  const { checksums = 'crc32', partBytes = 8 * MIB, connection = {} } = options;
  return {
    bucket: options.bucket,
    partBytes,
    checksums,
    partsInFlight: options.partsInFlight ?? 4,
    uploadMemoryBytes: options.uploadMemoryBytes ?? Math.max(64 * MIB, partBytes),
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    callTimeoutMs: options.callTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs ?? 30_000,
    maxConnections: connection.maxConnections ?? 64,
    connectTimeoutMs: connection.connectTimeoutMs ?? 5_000,
    retryPolicy: options.retryPolicy,
    verifyReads: options.verifyReads ?? true,
    signedPayload: options.signedPayload ?? false,
    conditionalWrites: options.conditionalWrites ?? true,
    deleteObjects: options.deleteObjects ?? 'batch',
    deleteMd5: options.deleteMd5 ?? checksums === 'none',
    storageClass: options.storageClass,
    serverSideEncryption: options.serverSideEncryption,
    kmsKeyId: options.kmsKeyId,
  };
}

function requireInteger(
  name: string,
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw invalid(`${name} must be an integer from ${min} to ${max}, got ${value}`);
}

function invalid(message: string): RemoteStorageError {
  return new RemoteStorageError('invalid-configuration', message);
}
