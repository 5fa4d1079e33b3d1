import {
  DEFAULT_RETRY_POLICY,
  type ObjectStore,
  type ParsedOptions,
  type PluginOptions,
} from '@logloft/remote-storage';
import type { CredentialProvider, StaticCredentials } from './credentials.ts';
import { credentialsFromFile } from './credentials-file.ts';
import { readS3PluginOptions, type S3OptionParsers } from './plugin-options.ts';
import { S3ObjectStore } from './s3-object-store.ts';
import type { S3ObjectStoreContext } from './s3-settings.ts';

/**
 * The plugin's factory. The README lists its options (as properties: `rsm.config.storage.` before each);
 * `s3.bucket.name` is required. Sends nothing yet.
 *
 * @throws RemoteStorageError `invalid-configuration` for options that are unknown, missing, out of range
 *   or contradict each other, for credentials files that cannot be read, and when no region is known
 */
export async function createObjectStore(
  options: PluginOptions,
  context: S3ObjectStoreContext,
): Promise<ObjectStore> {
  const read = readS3PluginOptions(options);
  const credentials = credentialsOf(read, context);
  if (typeof credentials === 'function') await credentials();
  const store = new S3ObjectStore(
    {
      bucket: read['s3.bucket.name'],
      connection: {
        region: read['s3.region'],
        endpoint: read['s3.endpoint.url'],
        pathStyle: read['s3.path.style.access.enabled'],
        credentials,
        certificateCheck: read['aws.certificate.check.enabled'],
        maxConnections: read['s3.connections.max'],
        connectTimeoutMs: read['s3.connect.timeout.ms'],
      },
      partBytes: read['s3.multipart.upload.part.size'],
      partsInFlight: read['s3.parts.in.flight'],
      uploadMemoryBytes: read['s3.upload.memory.bytes'] || undefined,
      requestTimeoutMs: read['s3.api.call.attempt.timeout'],
      callTimeoutMs: read['s3.api.call.timeout'],
      idleTimeoutMs: read['s3.idle.timeout.ms'],
      retryPolicy: { ...DEFAULT_RETRY_POLICY, maxAttempts: read['s3.retry.max.attempts'] },
      checksums: read['s3.checksums'],
      verifyReads: read['aws.checksum.check.enabled'],
      signedPayload: read['s3.payload.signing.enabled'],
      conditionalWrites: read['s3.conditional.writes'],
      deleteObjects: read['s3.delete.objects'],
      deleteMd5: read['s3.legacy.md5.plugin.enabled'],
      storageClass: read['s3.storage.class'],
      serverSideEncryption: read['s3.server.side.encryption'],
      kmsKeyId: read['s3.sse.kms.key.id'],
    },
    context,
  );
  await store.assertRegion();
  return store;
}

function credentialsOf(
  read: ParsedOptions<S3OptionParsers>,
  { clock }: S3ObjectStoreContext,
): StaticCredentials | CredentialProvider | undefined {
  const file = read['aws.credentials.file'];
  if (file !== undefined) return credentialsFromFile(file, clock);
  const accessKeyId = read['aws.access.key.id'];
  const secretAccessKey = read['aws.secret.access.key'];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: read['aws.session.token'] };
}
