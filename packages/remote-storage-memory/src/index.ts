export { createObjectStore } from './create-object-store.ts';
export type { MemoryObjectStoreOptions } from './memory-object-store.ts';
export { MemoryObjectStore } from './memory-object-store.ts';
