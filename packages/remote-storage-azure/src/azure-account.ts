import {
  AnonymousCredential,
  BlobServiceClient,
  newPipeline,
  type StoragePipelineOptions,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { type PluginContext, RemoteStorageError } from '@logloft/remote-storage';
import { BlobTransport } from './blob-transport.ts';

/** Where a store's account is, and how to get in. */
export interface AzureAccount {
  /** Says it all by itself; not together with any other of these but the time-outs. */
  readonly connectionString?: string | undefined;
  /** Name of the account. Needed without a connection string. */
  readonly accountName?: string | undefined;
  /** Shared key, base64. Without key and SAS token, the machine's login is used (`DefaultAzureCredential`). */
  readonly accountKey?: string | undefined;
  /** Shared access signature, with or without the `?` in front. Not together with a key. */
  readonly sasToken?: string | undefined;
  /** URL of the blob service. Default `https://<accountName>.blob.core.windows.net`. */
  readonly endpoint?: string | undefined;
  /** Most connections at one time, 1 to 10,000. Default 128. */
  readonly maxConnections?: number | undefined;
  /** Ms for a connection to be made, TLS included. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Ms from the last byte of a request to the first one of its answer. Default 20,000. */
  readonly answerTimeoutMs?: number | undefined;
  /** Ms without a byte until a transfer counts as cut. Default 30,000. */
  readonly idleTimeoutMs?: number | undefined;
}

const MAX_MS = 2_147_483_647;

/** Bounds of the whole numbers, both inclusive, and their defaults. */
export const ACCOUNT_BOUNDS: Readonly<
  Record<
    'maxConnections' | 'connectTimeoutMs' | 'answerTimeoutMs' | 'idleTimeoutMs',
    { readonly fallback: number; readonly min: number; readonly max: number }
  >
> = Object.freeze({
  maxConnections: { fallback: 128, min: 1, max: 10_000 },
  connectTimeoutMs: { fallback: 10_000, min: 1, max: MAX_MS },
  answerTimeoutMs: { fallback: 20_000, min: 1, max: MAX_MS },
  idleTimeoutMs: { fallback: 30_000, min: 1, max: MAX_MS },
});

/** A client, and what carries its requests. */
export interface OpenedAccount {
  readonly client: BlobServiceClient;
  readonly transport: BlobTransport;
}

/**
 * Makes a client without retries of its own, over a transport with time-outs.
 *
 * @throws RemoteStorageError `invalid-configuration` for settings that contradict one another, or cannot be
 */
export async function openAccount(
  account: AzureAccount,
  { clock }: Pick<PluginContext, 'clock'>,
): Promise<OpenedAccount> {
  assertConsistent(account);
  const transport = new BlobTransport({
    clock,
    maxConnections: inBounds(account, 'maxConnections'),
    connectTimeoutMs: inBounds(account, 'connectTimeoutMs'),
    answerTimeoutMs: inBounds(account, 'answerTimeoutMs'),
    idleTimeoutMs: inBounds(account, 'idleTimeoutMs'),
  });
  const options: StoragePipelineOptions = {
    httpClient: transport,
    retryOptions: { maxTries: 1 },
    userAgentOptions: { userAgentPrefix: 'logloft' },
  };
  return { client: await clientFor(account, options), transport };
}

async function clientFor(
  account: AzureAccount,
  options: StoragePipelineOptions,
): Promise<BlobServiceClient> {
  const { connectionString, accountName = '', accountKey, sasToken } = account;
  if (connectionString !== undefined) return fromConnectionString(connectionString, options);
  const url = endpointOf(account);
  if (accountKey !== undefined) {
    const credential = new StorageSharedKeyCredential(accountName, accountKey);
    return new BlobServiceClient(url, newPipeline(credential, options));
  }
  if (sasToken !== undefined) {
    const pipeline = newPipeline(new AnonymousCredential(), options);
    return new BlobServiceClient(`${url}?${sasToken.replace(/^\?/, '')}`, pipeline);
  }
  // Large, and of no use to anybody who has a key.
  const { DefaultAzureCredential } = await import('@azure/identity');
  return new BlobServiceClient(url, newPipeline(new DefaultAzureCredential(), options));
}

function fromConnectionString(
  connectionString: string,
  options: StoragePipelineOptions,
): BlobServiceClient {
  try {
    return BlobServiceClient.fromConnectionString(connectionString, options);
  } catch {
    // What the SDK throws may repeat the string, key and all.
    throw invalid(
      'The connection string cannot be read: it is AccountName=…;AccountKey=…, or BlobEndpoint=…;SharedAccessSignature=…, with the parts that the portal shows',
    );
  }
}

function endpointOf({ endpoint, accountName }: AzureAccount): string {
  const text = endpoint ?? `https://${accountName}.blob.core.windows.net`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalid(`The endpoint must be an http or https URL, got ${JSON.stringify(text)}`);
  }
  if (url.search !== '' || url.username !== '' || url.password !== '') {
    throw invalid(
      'The endpoint must have no query and no login; a SAS token has an option of its own',
    );
  }
  return text.replace(/\/+$/, '');
}

function assertConsistent(account: AzureAccount): void {
  const { connectionString, accountName, accountKey, sasToken, endpoint } = account;
  const others = [accountName, accountKey, sasToken, endpoint];
  if (connectionString !== undefined) {
    if (others.every((other) => other === undefined)) return;
    throw invalid(
      'A connection string says it all: leave out account name, key, SAS token and endpoint',
    );
  }
  if (accountName === undefined || !/^[a-z0-9]{3,24}$/.test(accountName)) {
    throw invalid(
      `Without a connection string, the account must be named by 3 to 24 lower-case letters and digits, got ${JSON.stringify(accountName)}`,
    );
  }
  if (accountKey !== undefined && sasToken !== undefined) {
    throw invalid('Give either the account key or a SAS token, not both');
  }
  if (accountKey !== undefined && !/^[A-Za-z0-9+/]{4,}={0,2}$/.test(accountKey)) {
    throw invalid('The account key is not base64; copy it whole from the portal');
  }
  if (sasToken !== undefined && !/(^|[?&])sig=/.test(sasToken)) {
    throw invalid('The SAS token has no signature (sig=…); copy it whole from the portal');
  }
}

function inBounds(account: AzureAccount, name: keyof typeof ACCOUNT_BOUNDS): number {
  const { fallback, min, max } = ACCOUNT_BOUNDS[name];
  const value = account[name] ?? fallback;
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalid(`${name} must be an integer from ${min} to ${max}, got ${value}`);
}

function invalid(message: string): RemoteStorageError {
  return new RemoteStorageError('invalid-configuration', message);
}
