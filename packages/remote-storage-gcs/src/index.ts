export type { AuthHeaders } from './auth/auth-headers.ts';
export { createObjectStore } from './create-object-store.ts';
export type { GcsObjectStoreContext } from './gcs-object-store.ts';
export { GcsObjectStore } from './gcs-object-store.ts';
export type { GcsObjectStoreOptions, GcsTuning } from './gcs-settings.ts';
