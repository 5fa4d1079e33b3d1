import { join, resolve } from 'node:path';
import type { RemoteStorageChoice } from '@logloft/broker';
import { createObjectStore as createLocalStore } from '@logloft/remote-storage-local';
import { createObjectStore as createMemoryStore } from '@logloft/remote-storage-memory';
import { adapterNamed } from './adapters.ts';
import { UsageError } from './command-line/usage-error.ts';

/** What the remote tier is chosen by. */
export interface StoreRequest {
  /** The flag, `undefined` when it was not given. */
  readonly choice: string | undefined;
  /** Where a local store may keep its files; `undefined` in memory. */
  readonly directory: string | undefined;
  readonly memoryBytes: number | undefined;
}

/** The remote tier for `startBroker`. */
export interface ChosenStore {
  readonly remoteStorage: RemoteStorageChoice | undefined;
  readonly remoteStorageOptions: Readonly<Record<string, string>>;
}

/**
 * Chooses the remote tier: `local`, `memory`, `s3`, `gcs`, `azure`, `none`, or what a plugin is imported
 * by. Without a flag it is the disk where there is a directory, and memory where there is none.
 *
 * @throws UsageError for `local` without a directory
 */
export function chooseStore({ choice, directory, memoryBytes }: StoreRequest): ChosenStore {
  const name = choice ?? (directory === undefined ? 'memory' : 'local');
  if (name === 'none') return { remoteStorage: undefined, remoteStorageOptions: {} };
  if (name === 'memory') {
    const options = memoryBytes === undefined ? {} : { 'storage.max.bytes': String(memoryBytes) };
    return {
      remoteStorage: { createObjectStore: createMemoryStore },
      remoteStorageOptions: options,
    };
  }
  if (name !== 'local') {
    return { remoteStorage: adapterNamed(name) ?? name, remoteStorageOptions: {} };
  }
  if (directory === undefined) {
    throw new UsageError('--remote-storage local needs a directory: give --data DIR.');
  }
  return {
    remoteStorage: { createObjectStore: createLocalStore },
    remoteStorageOptions: { 'storage.root': join(resolve(directory), 'remote') },
  };
}
