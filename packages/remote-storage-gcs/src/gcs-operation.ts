/** What is asked of the store, in words for messages, with what the account needs for it. */
export interface GcsOperation {
  /** For example `Reading the object`. */
  readonly action: string;
  /** Permissions on the bucket. */
  readonly permissions: readonly string[];
  /** The narrowest predefined role that has them. */
  readonly role: string;
}

const USER_ROLE = 'Storage Object User (roles/storage.objectUser)';
const VIEWER_ROLE = 'Storage Object Viewer (roles/storage.objectViewer)';

/** Every operation of the adapter. */
export const OPERATIONS: {
  readonly read: GcsOperation;
  readonly head: GcsOperation;
  readonly write: GcsOperation;
  readonly cancel: GcsOperation;
  readonly delete: GcsOperation;
  readonly list: GcsOperation;
  readonly bucket: GcsOperation;
} = Object.freeze({
  read: {
    action: 'Reading the object',
    permissions: ['storage.objects.get'],
    role: VIEWER_ROLE,
  },
  head: {
    action: 'Looking up the object',
    permissions: ['storage.objects.get'],
    role: VIEWER_ROLE,
  },
  write: {
    action: 'Writing the object',
    permissions: ['storage.objects.create', 'storage.objects.delete (to replace one)'],
    role: USER_ROLE,
  },
  cancel: {
    action: 'Cancelling the upload of',
    permissions: ['storage.objects.create'],
    role: USER_ROLE,
  },
  delete: {
    action: 'Deleting the object',
    permissions: ['storage.objects.delete'],
    role: USER_ROLE,
  },
  list: {
    action: 'Listing objects',
    permissions: ['storage.objects.list'],
    role: VIEWER_ROLE,
  },
  bucket: {
    action: 'Looking up the bucket',
    permissions: ['storage.buckets.get'],
    role: 'Storage Bucket Viewer (roles/storage.bucketViewer)',
  },
});
