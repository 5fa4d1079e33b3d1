import { type ByteRange, memorySource, type ObjectStore } from '@logloft/remote-storage';
import { allBytes } from './assertions.ts';

/** A store that a case is run on. */
export interface OpenedObjectStore {
  /** Empty, and nobody else's. */
  readonly store: ObjectStore;
  /** Opens the same objects once more, as after a restart. Given where they outlive the store. */
  readonly reopen?: (() => Promise<ObjectStore>) | undefined;
  /**
   * Leaves behind what a writer of this key would that was killed half-way, begun just now. Given where
   * the store has `removeUnfinished`.
   */
  readonly leaveUnfinished?: ((key: string) => Promise<void>) | undefined;
  /** Frees what the store leaves behind; called after the store was disposed of. */
  readonly cleanUp?: (() => Promise<void>) | undefined;
}

/** What the cases know of the store they are run on. */
export interface StoreSubject extends OpenedObjectStore {
  /** Seed of all bytes and choices. */
  readonly seed: number;
  /** Bytes of an object of several parts. */
  readonly largeObjectBytes: number;
  /** Objects that are listed and deleted together. */
  readonly manyObjects: number;
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

/** Writes an object of one byte under each key, a few at a time. */
export async function putMany(store: ObjectStore, keys: readonly string[]): Promise<void> {
  const left = keys.values();
  const write = async (): Promise<void> => {
    for (const key of left) await putBytes(store, key, new Uint8Array(1));
  };
  await Promise.all(Array.from({ length: 8 }, write));
}
