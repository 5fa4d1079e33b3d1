export type { AzureAccount } from './azure-account.ts';
export type {
  AzureObjectStoreContext,
  AzureObjectStoreOptions,
  AzureObjectStoreSettings,
} from './azure-object-store.ts';
export { AzureObjectStore } from './azure-object-store.ts';
export type { AzureTuning } from './azure-settings.ts';
export { createObjectStore } from './create-object-store.ts';
