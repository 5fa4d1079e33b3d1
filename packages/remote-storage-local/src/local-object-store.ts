import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, realpath, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type ByteRange,
  type CallOptions,
  clipByteRange,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type PluginContext,
  type PutOptions,
  pacedSlices,
  ReleasingStream,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  readFilePieces,
  type SegmentSource,
  sourceSlices,
  toRemoteStorageError,
} from '@logloft/remote-storage';
import { pruneEmpty, syncDirectory } from './directories.ts';
import {
  assertNoLinks,
  hasCode,
  linkFound,
  lstatIfThere,
  MAX_KEY_BYTES,
  type ObjectPath,
  objectPath,
} from './object-path.ts';
import { TempFiles } from './temp-files.ts';
import { walkObjects } from './walk-objects.ts';

// A flush of a whole segment at its end would hold up all other writers of the disk for seconds.
const FLUSH_EVERY_BYTES = 8 * 1024 * 1024;

// A directory may be removed as empty between its creation and the rename into it, this often in a row.
const MAX_PUBLISH_ATTEMPTS = 32;

// Never follow a link at the end of the path, and never wait for the writer of a named pipe.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

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
    if (wanted === '') {
      throw new RemoteStorageError(
        'invalid-configuration',
        'The local store needs a root directory',
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
      throw toRemoteStorageError(error, { action: `Opening the directory ${wanted}` });
    }
  }

  /** The directory, with all links on the way to it resolved. */
  get root(): string {
    return this.#root;
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const path = objectPath(this.#root, key);
    await this.#attempt('Writing the object', path, options, async () => {
      if (options.ifAbsent && (await lstatIfThere(path.file)) !== undefined) throw exists(key);
      const temp = await this.#temps.create();
      let left = true;
      try {
        try {
          await this.#fill(temp.file, source, options);
        } finally {
          await temp.file.close();
        }
        options.signal?.throwIfAborted();
        await this.#publish(temp.path, path, options.ifAbsent ?? false);
        // A link leaves its origin behind, a rename does not.
        left = options.ifAbsent ?? false;
      } finally {
        if (left) await unlink(temp.path).catch(() => undefined);
      }
      await this.#syncUpwards(path);
    });
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const path = objectPath(this.#root, key);
    return await this.#attempt('Reading the object', path, options, async () => {
      const file = await openForReading(path);
      try {
        const found = await file.stat();
        if (!found.isFile()) throw notFound(key);
        const { start, length } =
          range === undefined ? { start: 0, length: found.size } : clipByteRange(range, found.size);
        options.signal?.throwIfAborted();
        return streamOf(file, { start, length }, options);
      } catch (error) {
        await file.close();
        throw error;
      }
    });
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

  async #fill(file: FileHandle, source: SegmentSource, options: PutOptions): Promise<void> {
    let unflushed = 0;
    for await (const slice of sourceSlices(source, options)) {
      await writeAll(file, slice);
      unflushed += slice.byteLength;
      if (this.#fsync && unflushed >= FLUSH_EVERY_BYTES) {
        await file.datasync();
        unflushed = 0;
      }
    }
    if (this.#fsync) await file.datasync();
  }

  async #publish(from: string, path: ObjectPath, ifAbsent: boolean): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await mkdir(dirname(path.file), { recursive: true });
        await (ifAbsent ? link(from, path.file) : rename(from, path.file));
        return;
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || attempt >= MAX_PUBLISH_ATTEMPTS) {
          throw whyNotPublished(error, path, ifAbsent);
        }
      }
    }
  }

  // The directories may be new, and not by this call alone.
  async #syncUpwards(path: ObjectPath): Promise<void> {
    if (!this.#fsync) return;
    for (const directory of path.directories.toReversed()) await syncDirectory(directory);
    await syncDirectory(this.#root);
  }
}

async function openForReading(path: ObjectPath): Promise<FileHandle> {
  try {
    return await open(path.file, READ_FLAGS);
  } catch (error) {
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw linkFound(path.key, path.file);
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) throw notFound(path.key, error);
    throw error;
  }
}

function streamOf(
  file: FileHandle,
  range: { readonly start: number; readonly length: number },
  options: CallOptions,
): ReleasingStream<Uint8Array> {
  const { signal } = options;
  const slices = pacedSlices(readFilePieces(file, { ...range, signal }), options);
  return new ReleasingStream<Uint8Array>({
    signal,
    next: async () => {
      const result = await slices.next();
      return result.done ? { done: true, value: undefined } : result;
    },
    release: async () => {
      await slices.return();
      await file.close();
    },
  });
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.byteLength - at);
    at += bytesWritten;
  }
}

// A directory is no object, and so counts as not there.
async function unlinkIfThere(file: string): Promise<boolean> {
  try {
    await unlink(file);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return false;
    if (hasCode(error, 'EPERM') && (await lstatIfThere(file))?.isDirectory()) return false;
    throw error;
  }
}

function notFound(key: string, cause?: unknown): RemoteStorageError {
  return new RemoteResourceNotFoundError(`There is no object ${JSON.stringify(key)}`, {
    key,
    cause,
  });
}

function exists(key: string, cause?: unknown): RemoteStorageError {
  return new RemoteStorageError(
    'precondition',
    `The object ${JSON.stringify(key)} exists already`,
    {
      key,
      cause,
    },
  );
}

function whyNotPublished(cause: unknown, path: ObjectPath, ifAbsent: boolean): unknown {
  if (ifAbsent && hasCode(cause, 'EEXIST')) return exists(path.key, cause);
  if (!hasCode(cause, 'EISDIR', 'ENOTDIR', 'EEXIST')) return cause;
  return new RemoteStorageError(
    'invalid-configuration',
    `The object ${JSON.stringify(path.key)} cannot be stored: a file system holds either objects below a name, or one of that name`,
    { key: path.key, cause },
  );
}
