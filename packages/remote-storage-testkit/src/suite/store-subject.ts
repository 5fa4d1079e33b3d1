import { type ByteRange, memorySource, type ObjectStore } from '@logloft/remote-storage';
import { allBytes } from './assertions.ts';

/** A store that a case is run on. */
export interface OpenedObjectStore {
  /** Empty, and nobody else's. */
  readonly store: ObjectStore;
  /** Opens the same objects once more, as after a restart. Given where they outlive the store. */
  readonly reopen?: (() => Promise<ObjectStore>) | undefined;
  /** Frees what the store leaves behind; called after the store was disposed of. */
  readonly cleanUp?: (() => Promise<void>) | undefined;
}

/** What the cases know of the store they are run on. */
export interface StoreSubject extends OpenedObjectStore {
  /** Seed of all bytes and choices. */
  readonly seed: number;
}

/** Writes bytes. */
export async function putBytes(store: ObjectStore, key: string, bytes: Uint8Array): Promise<void> {
  await store.put(key, memorySource(bytes));
}

/** Reads an object or a range of it whole. */
export async function getBytes(
  store: ObjectStore,
  key: string,
  range?: ByteRange,
): Promise<Uint8Array> {
  return await allBytes(await store.get(key, range));
}

/** The keys that a listing shows, in its order. */
export async function listKeys(store: ObjectStore, prefix?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const head of store.list({ prefix })) keys.push(head.key);
  return keys;
}
