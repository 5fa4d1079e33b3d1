export { createObjectStore } from './create-object-store.ts';
export type { CredentialProvider, StaticCredentials } from './credentials.ts';
export { S3ObjectStore } from './s3-object-store.ts';
export type {
  S3Connection,
  S3ObjectStoreContext,
  S3ObjectStoreOptions,
  S3Tuning,
} from './s3-settings.ts';
