import { S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '@logloft/clock';
import { RemoteStorageError } from '@logloft/remote-storage';
import type { CredentialProvider, StaticCredentials } from './credentials.ts';
import { createRequestHandler } from './http/request-handler.ts';
import type { ResolvedS3Settings, S3Connection } from './s3-settings.ts';

/**
 * A client as this adapter wants it: no repetitions of its own, no `Expect`, no checksums but ours, and
 * requests by our own handler.
 *
 * @throws RemoteStorageError `invalid-configuration` for an endpoint that is no URL
 */
export function createClient(
  connection: S3Connection,
  settings: ResolvedS3Settings,
  clock: Clock,
): S3Client {
  const { endpoint, credentials, certificateCheck = true } = connection;
  if (endpoint !== undefined) assertEndpoint(endpoint);
  const region = connection.region ?? (endpoint === undefined ? undefined : 'us-east-1');
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: connection.pathStyle ?? endpoint !== undefined,
    ...(credentials === undefined ? {} : { credentials: credentialsOf(credentials) }),
    maxAttempts: 1,
    expectContinueHeader: false,
    followRegionRedirects: false,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: createRequestHandler({
      clock,
      certificateCheck,
      maxConnections: settings.maxConnections,
      timeouts: {
        queueMs: settings.idleTimeoutMs,
        connectMs: settings.connectTimeoutMs,
        silenceMs: settings.requestTimeoutMs,
      },
    }),
  });
}

type SdkCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

function credentialsOf(
  credentials: StaticCredentials | CredentialProvider,
): SdkCredentials | ((options?: { forceRefresh?: boolean }) => Promise<SdkCredentials>) {
  if (typeof credentials !== 'function') return sdkCredentials(credentials);
  const provider = async (options?: { forceRefresh?: boolean }): Promise<SdkCredentials> =>
    sdkCredentials(await credentials(options));
  // Else the SDK would keep the first answer for ever.
  return Object.assign(provider, { memoized: true });
}

function sdkCredentials(credentials: StaticCredentials): SdkCredentials {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

function assertEndpoint(endpoint: string): void {
  const url = URL.parse(endpoint);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `The endpoint must be a URL that begins with http:// or https://, got ${JSON.stringify(endpoint)}`,
  );
}
