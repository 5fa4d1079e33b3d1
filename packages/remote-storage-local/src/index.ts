export { createObjectStore } from './create-object-store.ts';
export type { LocalObjectStoreContext, LocalObjectStoreOptions } from './local-object-store.ts';
export { LocalObjectStore } from './local-object-store.ts';
