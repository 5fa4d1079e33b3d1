import { isRemoteStorageError, type RemoteStorageErrorKind } from '@logloft/remote-storage';

/** The kinds of request that need a permission each. */
export type Request = 'open' | 'list' | 'read' | 'write' | 'parts' | 'delete' | 'condition';

/** What failed, and where. */
export interface FailedCheck {
  /** `capabilities.name` of the store. */
  readonly store: string;
  readonly what: Request;
}

/** Names of permissions by store and request. */
const PERMISSIONS: ReadonlyMap<string, Readonly<Record<Request, string>>> = new Map([
  [
    's3',
    {
      open: 's3:ListBucket on the bucket and s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload on its objects',
      list: 's3:ListBucket on the bucket',
      read: 's3:GetObject on the objects of the bucket',
      write: 's3:PutObject on the objects of the bucket',
      parts: 's3:PutObject and s3:AbortMultipartUpload on the objects of the bucket',
      delete: 's3:DeleteObject on the objects of the bucket',
      condition: 's3:PutObject on the objects of the bucket',
    },
  ],
  [
    'gcs',
    {
      open: 'the role Storage Object User (roles/storage.objectUser) on the bucket',
      list: 'storage.objects.list on the bucket',
      read: 'storage.objects.get on the bucket',
      write: 'storage.objects.create on the bucket',
      parts: 'storage.objects.create on the bucket',
      delete: 'storage.objects.delete on the bucket',
      condition: 'storage.objects.create on the bucket',
    },
  ],
  [
    'azure',
    {
      open: 'the role Storage Blob Data Contributor on the container, or a SAS with the permissions racwdl',
      list: 'the role Storage Blob Data Contributor, or a SAS with the permission l (list)',
      read: 'the role Storage Blob Data Contributor, or a SAS with the permission r (read)',
      write:
        'the role Storage Blob Data Contributor, or a SAS with the permissions c and w (create, write)',
      parts:
        'the role Storage Blob Data Contributor, or a SAS with the permissions c and w (create, write)',
      delete: 'the role Storage Blob Data Contributor, or a SAS with the permission d (delete)',
      condition: 'the role Storage Blob Data Contributor, or a SAS with the permission c (create)',
    },
  ],
]);

/** A remedy for what a store says in words of its own, whatever the kind. */
interface KnownTrouble {
  readonly sign: RegExp;
  readonly stores?: readonly string[] | undefined;
  readonly remedy: string;
}

const KNOWN_TROUBLES: readonly KnownTrouble[] = [
  {
    sign: /RequestTimeTooSkewed|clock[^.]*(off|skew|differ)|Make sure the value of Authorization header is formed correctly.*x-ms-date|Invalid JWT: Token must be/i,
    remedy:
      "This machine's clock is wrong. Set it by the network time protocol (NTP), and try again.",
  },
  {
    sign: /ExpiredToken|TokenRefreshRequired|expired|invalid_grant/i,
    remedy:
      'The credentials have expired. Get new ones, or configure a source that renews them by itself.',
  },
  {
    sign: /SignatureDoesNotMatch/,
    remedy:
      'The secret does not belong to the key id. Copy both anew, without blanks: storage.aws.access.key.id and storage.aws.secret.access.key.',
  },
  {
    sign: /InvalidAccessKeyId/,
    remedy:
      'The store does not know the key id. Check storage.aws.access.key.id, and that it belongs to this endpoint.',
  },
  {
    sign: /AuthenticationFailed|AuthorizationFailure|InvalidAuthenticationInfo/,
    stores: ['azure'],
    remedy:
      'The account key, SAS or connection string is not that of the account. Copy it anew: storage.azure.account.key, .sas.token or .connection.string.',
  },
  {
    sign: /authError|invalid_client|401/,
    stores: ['gcs'],
    remedy:
      'The credentials are not accepted. Check storage.gcs.credentials.json or .path, or run gcloud auth application-default login for storage.gcs.credentials.default.',
  },
  {
    sign: /PermanentRedirect|AuthorizationHeaderMalformed|TemporaryRedirect/,
    remedy: 'The bucket is in another region. Set storage.s3.region to the one that is named.',
  },
  {
    sign: /CredentialsProviderError|Could not load credentials|Could not load the default credentials|ChainedTokenCredential|DefaultAzureCredential/i,
    remedy:
      'No credentials were found. Give them as options of the store, or set up one of the places that its SDK looks in.',
  },
  {
    sign: /x-amz-checksum|x-amz-sdk-checksum|aws-chunked|STREAMING-UNSIGNED|NotImplemented|501/,
    stores: ['s3'],
    remedy:
      'The store does not know a header that S3 has: set storage.s3.checksums=none, and storage.s3.conditional.writes=false if only the conditional write fails.',
  },
];

const BY_KIND: Readonly<Partial<Record<RemoteStorageErrorKind, string>>> = {
  throttled: 'The store is busy, or limits this account. Wait, or raise its limits.',
  timeout:
    'The store does not answer in time. Check the endpoint, a proxy or a firewall on the way, or raise request.timeout.ms.',
  full: 'The store has no room. Free some, or raise its limit.',
  corrupt:
    'Bytes changed on their way or in the store. Look for a proxy that rewrites bodies, and compare with another client.',
  'bad-range': 'The store does not serve ranges as HTTP demands. It cannot be used for tiering.',
  'not-found':
    'What was written is not there. Is the store eventually consistent, or does a rule remove objects at once?',
};

/** What to change so that a check works, in plain words. */
export function remedyFor(error: unknown, failed: FailedCheck): string {
  // Before the store is open, the message names what is wrong by itself, and all that would be right.
  const isConfiguration = isRemoteStorageError(error) && error.kind === 'invalid-configuration';
  if (isConfiguration && failed.what === 'open') {
    return 'Correct the option that is named.';
  }
  const told = textOf(error);
  const trouble = KNOWN_TROUBLES.find(
    ({ sign, stores }) => sign.test(told) && stores?.includes(failed.store) !== false,
  );
  if (trouble !== undefined) return trouble.remedy;
  if (/ENOTFOUND|EAI_AGAIN/.test(told)) return nameRemedy(failed.store);
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(told)) {
    return 'Nothing answers at the endpoint. Check its host and port, and that the store runs.';
  }
  if (/CERT|certificate|self-signed|EPROTO|wrong version number/i.test(told)) {
    return 'The connection cannot be made secure. Use http:// or https:// as the store does, and let Node know its certificate authority by NODE_EXTRA_CA_CERTS.';
  }
  return isRemoteStorageError(error) ? byKind(error.kind, failed) : 'The message above says why.';
}

function byKind(kind: RemoteStorageErrorKind, { store, what }: FailedCheck): string {
  switch (kind) {
    case 'container-missing':
      return containerRemedy(store);
    case 'denied':
      return `Not allowed. Grant ${PERMISSIONS.get(store)?.[what] ?? 'reading and writing there'}.`;
    case 'precondition':
      return store === 's3'
        ? 'The store does not keep conditional writes. Set storage.s3.conditional.writes=false.'
        : 'The store does not keep conditional writes.';
    case 'invalid-configuration':
      return 'Correct the option that is named.';
    default:
      return BY_KIND[kind] ?? 'The message above says why.';
  }
}

function containerRemedy(store: string): string {
  const option = new Map([
    ['s3', 'bucket, or correct storage.s3.bucket.name'],
    ['gcs', 'bucket, or correct storage.gcs.bucket.name'],
    ['azure', 'container, or correct storage.azure.container.name'],
  ]).get(store);
  return `Create the ${option ?? 'container'}: the store does not make it by itself.`;
}

function nameRemedy(store: string): string {
  const general = 'The name of the endpoint is unknown. Check its spelling and your name server.';
  if (store !== 's3') return general;
  return `${general} If the host in the message begins with the bucket, set storage.s3.path.style.access.enabled=true.`;
}

/** All that an error and its causes say: message, name, code. */
function textOf(error: unknown): string {
  const parts: string[] = [];
  let current = error;
  for (let level = 0; level < 6 && current instanceof Error; level += 1) {
    parts.push(current.name, current.message);
    for (const field of ['code', 'Code', 'hostname']) {
      const value: unknown = Reflect.get(current, field);
      if (typeof value === 'string') parts.push(value);
    }
    if (current instanceof AggregateError) parts.push(...current.errors.map(textOf));
    current = current.cause;
  }
  return parts.join(' ');
}
