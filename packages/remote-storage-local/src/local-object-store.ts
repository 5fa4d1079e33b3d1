import { mkdir, realpath, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type ByteRange,
  type CallOptions,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type PluginContext,
  type PutOptions,
  RemoteStorageError,
  type SegmentSource,
  toRemoteStorageError,
} from '@logloft/remote-storage';
import { pruneEmpty, syncDirectory } from './directories.ts';
import { notFound } from './object-errors.ts';
import {
  assertNoLinks,
  hasCode,
  linkFound,
  lstatIfThere,
  MAX_KEY_BYTES,
  type ObjectPath,
  objectPath,
} from './object-path.ts';
import { readObject } from './read-object.ts';
import { TempFiles } from './temp-files.ts';
import { walkObjects } from './walk-objects.ts';
import { writeObject } from './write-object.ts';

/** Settings of a {@link LocalObjectStore}. */
export interface LocalObjectStoreOptions {
  /** Directory of the objects; created if it is missing. */
  readonly root: string;
  /** Whether a `put` or `delete` that returned survives a crash of the machine. Default true. */
  readonly fsync?: boolean | undefined;
}

/** What a {@link LocalObjectStore} needs of a plugin's context. */
export type LocalObjectStoreContext = Pick<PluginContext, 'clock' | 'logger' | 'random'>;

/**
 * An object store in a directory, also of a shared file system. An object is written beside, made
 * durable, and renamed into place, so that nobody ever sees a part of one; a crash leaves at most
 * unfinished files, which the next start sweeps away. Keys never lead out of the directory.
 */
export class LocalObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities = Object.freeze({
    name: 'local',
    durable: true,
    conditionalPut: true,
    paced: true,
    maxObjectBytes: Number.MAX_SAFE_INTEGER,
    maxKeyBytes: MAX_KEY_BYTES,
  });
  readonly #root: string;
  readonly #fsync: boolean;
  readonly #temps: TempFiles;
  #closed = false;

  private constructor(settings: {
    readonly root: string;
    readonly fsync: boolean;
    readonly temps: TempFiles;
  }) {
    this.#root = settings.root;
    this.#fsync = settings.fsync;
    this.#temps = settings.temps;
  }

  /**
   * Opens a directory, and sweeps away what a crash left in it unfinished.
   *
   * @throws RemoteStorageError by kind when the directory cannot be made or used
   */
  static async open(
    options: LocalObjectStoreOptions,
    context: LocalObjectStoreContext,
  ): Promise<LocalObjectStore> {
    const { root: wanted, fsync = true } = options;
    if (wanted === '' || wanted.includes('\0')) {
      throw new RemoteStorageError(
        'invalid-configuration',
        `The local store needs a root directory, got ${JSON.stringify(wanted)}`,
      );
    }
    try {
      await mkdir(wanted, { recursive: true });
      const root = await realpath(wanted);
      const temps = new TempFiles(root, context);
      const swept = await temps.sweep();
      if (swept > 0) {
        context.logger.info('Removed unfinished objects of an earlier run', { root, files: swept });
      }
      return new LocalObjectStore({ root, fsync, temps });
    } catch (error) {
      if (hasCode(error, 'EEXIST', 'ENOTDIR')) {
        throw new RemoteStorageError('invalid-configuration', `${wanted} is not a directory`, {
          cause: error,
        });
      }
      throw toRemoteStorageError(error, { action: `Opening the directory ${wanted}` });
    }
  }

  /** The directory, with all links on the way to it resolved. */
  get root(): string {
    return this.#root;
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const path = objectPath(this.#root, key);
    const what = { root: this.#root, path, temps: this.#temps, fsync: this.#fsync };
    await this.#attempt('Writing the object', path, options, () =>
      writeObject(what, source, options),
    );
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const path = objectPath(this.#root, key);
    return await this.#attempt('Reading the object', path, options, () =>
      readObject(path, range, options),
    );
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    const path = objectPath(this.#root, key);
    return await this.#attempt('Looking up the object', path, options, async () => {
      const found = await lstatIfThere(path.file);
      if (found?.isSymbolicLink()) throw linkFound(key, path.file);
      if (!found?.isFile()) throw notFound(key);
      return { key, size: found.size };
    });
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    const paths = keys.map((key) => objectPath(this.#root, key));
    const failures: RemoteStorageError[] = [];
    const emptied = new Set<string>();
    for (const path of paths) {
      try {
        await this.#attempt('Deleting the object', path, options, async () => {
          if (await unlinkIfThere(path.file)) emptied.add(dirname(path.file));
        });
      } catch (error) {
        options.signal?.throwIfAborted();
        failures.push(toRemoteStorageError(error, { action: 'Deleting', key: path.key }));
      }
    }
    for (const directory of emptied) {
      if (this.#fsync) await syncDirectory(directory);
      await pruneEmpty(this.#root, directory);
    }
    const [first] = failures;
    if (first !== undefined) throw first;
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    const { prefix = '', signal } = options;
    signal?.throwIfAborted();
    try {
      await this.#assertUsable();
      for await (const head of walkObjects(this.#root, prefix)) {
        signal?.throwIfAborted();
        yield head;
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      throw toRemoteStorageError(error, { action: 'Listing objects' });
    }
  }

  /** Refuses further calls; those under way end by themselves. */
  async close(): Promise<void> {
    this.#closed = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #attempt<T>(
    action: string,
    path: ObjectPath,
    { signal }: CallOptions,
    operation: () => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    try {
      await this.#assertUsable();
      await assertNoLinks(path);
      return await operation();
    } catch (error) {
      if (signal?.aborted && error === signal.reason) throw error;
      throw toRemoteStorageError(error, { action, key: path.key });
    }
  }

  // A shared file system that is not mounted looks like an empty directory: then nothing must count as
  // deleted, and nothing must be written to whatever is below the mount point.
  async #assertUsable(): Promise<void> {
    if (this.#closed) {
      throw new RemoteStorageError('aborted', 'The local store is closed; open it anew');
    }
    if (await this.#temps.isThere()) return;
    throw new RemoteStorageError(
      'container-missing',
      `The directory ${this.#root} has lost what opening it put there; is it still mounted?`,
    );
  }
}

// A directory is no object, and so counts as not there.
async function unlinkIfThere(file: string): Promise<boolean> {
  try {
    await unlink(file);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return false;
    // macOS and others answer EPERM for a directory.
    if (hasCode(error, 'EPERM') && (await lstatIfThere(file))?.isDirectory()) return false;
    throw error;
  }
}
