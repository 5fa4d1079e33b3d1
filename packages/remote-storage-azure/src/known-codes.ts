import type { RemoteStorageErrorKind } from '@logloft/remote-storage';

/** What is known of a failure by its code. */
export interface KnownCode {
  readonly kind: RemoteStorageErrorKind;
  /** Default: by kind. */
  readonly retryable?: boolean | undefined;
  /** What to do about it, as the end of the message. */
  readonly remedy?: string | undefined;
}

const NO_CONTAINER =
  'The container must exist before it is used: create it, or correct azure.container.name';
const ROLE =
  'Give the identity the role "Storage Blob Data Contributor" on the container, or the SAS token the permissions rcwdl';
const KEY =
  'Check azure.account.name and azure.account.key, or the SAS token; keys change when they are rotated';
const LEASED = 'Somebody holds a lease on it: break the lease, and keep other programs out of here';
const ARCHIVED =
  'It is in the archive tier, from which nothing can be read: rehydrate it, and keep lifecycle rules for the archive tier away from this container';
const IMMUTABLE =
  'An immutability policy or legal hold forbids it: tiered segments need to be deleted, so use a container without one';
const RACED = 'Another writer of the same object was faster, and the blocks of this one are gone';

/** Codes of the service and of the system whose status alone would say too little. */
export const CODES: ReadonlyMap<string, KnownCode> = new Map<string, KnownCode>([
  ['BlobNotFound', { kind: 'not-found' }],
  ['ResourceNotFound', { kind: 'not-found' }],
  ['ContainerNotFound', { kind: 'container-missing', remedy: NO_CONTAINER }],
  ['ContainerBeingDeleted', { kind: 'container-missing', remedy: NO_CONTAINER }],
  ['ContainerDisabled', { kind: 'container-missing', remedy: NO_CONTAINER }],
  ['InvalidResourceName', { kind: 'invalid-configuration' }],
  ['InvalidUri', { kind: 'invalid-configuration' }],
  ['AuthenticationFailed', { kind: 'denied', remedy: KEY }],
  ['InvalidAuthenticationInfo', { kind: 'denied', remedy: KEY }],
  ['NoAuthenticationInformation', { kind: 'denied', remedy: KEY }],
  [
    'AuthorizationFailure',
    {
      kind: 'denied',
      remedy: `${KEY}. The account's network rules may also refuse this machine`,
    },
  ],
  ['AuthorizationPermissionMismatch', { kind: 'denied', remedy: ROLE }],
  ['AuthorizationResourceTypeMismatch', { kind: 'denied', remedy: ROLE }],
  ['AuthorizationServiceMismatch', { kind: 'denied', remedy: ROLE }],
  ['InsufficientAccountPermissions', { kind: 'denied', remedy: ROLE }],
  [
    'KeyBasedAuthenticationNotPermitted',
    {
      kind: 'denied',
      remedy: 'The account takes no keys: leave out azure.account.key to use the login instead',
    },
  ],
  ['AccountIsDisabled', { kind: 'denied', remedy: 'The storage account is disabled' }],
  ['BlobImmutableDueToPolicy', { kind: 'denied', remedy: IMMUTABLE }],
  ['LeaseIdMissing', { kind: 'precondition', remedy: LEASED }],
  ['LeaseLost', { kind: 'precondition', remedy: LEASED }],
  ['BlobArchived', { kind: 'unavailable', retryable: false, remedy: ARCHIVED }],
  ['BlobBeingRehydrated', { kind: 'unavailable', retryable: false, remedy: ARCHIVED }],
  ['InvalidRange', { kind: 'bad-range' }],
  ['InvalidBlockList', { kind: 'unavailable', retryable: true, remedy: RACED }],
  [
    'InvalidBlobOrBlock',
    {
      kind: 'precondition',
      remedy:
        'Another program left unfinished blocks under this name, with ids of another length; they vanish after a week, or when an object is written there in one request',
    },
  ],
  ['InvalidBlobType', { kind: 'precondition', remedy: 'It is no block blob, so not one of ours' }],
  // Bytes were altered on the way: a second attempt may get them through.
  ['Md5Mismatch', { kind: 'corrupt', retryable: true }],
  ['Crc64Mismatch', { kind: 'corrupt', retryable: true }],
  [
    'RequestBodyTooLarge',
    { kind: 'invalid-configuration', remedy: 'Lower azure.upload.block.size' },
  ],
  ['ServerBusy', { kind: 'throttled' }],
  ['OperationTimedOut', { kind: 'unavailable' }],
  ['InternalError', { kind: 'unavailable' }],
  ['InsufficientStorage', { kind: 'full' }],
  ['EMFILE', { kind: 'throttled' }],
  ['ENFILE', { kind: 'throttled' }],
  ['ETIMEDOUT', { kind: 'timeout' }],
  [
    'ENOTFOUND',
    {
      kind: 'unavailable',
      remedy: 'The name of the endpoint is not known: check azure.account.name, or the network',
    },
  ],
  [
    'ECONNREFUSED',
    {
      kind: 'unavailable',
      remedy: 'Nobody listens at the endpoint: check azure.endpoint.url, or the network',
    },
  ],
]);
