import { type FileHandle, link, mkdir, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type PutOptions,
  RemoteStorageError,
  type SegmentSource,
  sourceSlices,
} from '@logloft/remote-storage';
import { syncDirectory } from './directories.ts';
import { existsAlready } from './object-errors.ts';
import { hasCode, lstatIfThere, type ObjectPath } from './object-path.ts';
import type { TempFiles } from './temp-files.ts';

// A flush of a whole segment at its end would hold up all other writers of the disk for seconds.
const FLUSH_EVERY_BYTES = 8 * 1024 * 1024;

// A directory may be removed as empty between its creation and the rename into it, this often in a row.
const MAX_PUBLISH_ATTEMPTS = 32;

/** Where an object is written. */
export interface ObjectToWrite {
  readonly root: string;
  readonly path: ObjectPath;
  readonly temps: TempFiles;
  /** Whether it must survive a crash of the machine. */
  readonly fsync: boolean;
}

/**
 * Writes an object beside its place, makes it durable, and moves it into its place at once. On failure
 * nothing is left of it.
 */
export async function writeObject(
  what: ObjectToWrite,
  source: SegmentSource,
  options: PutOptions,
): Promise<void> {
  const { path, temps, fsync } = what;
  const { ifAbsent = false, signal } = options;
  if (ifAbsent && (await lstatIfThere(path.file)) !== undefined) throw existsAlready(path.key);
  const temp = await temps.create();
  // A link leaves its origin behind, a rename does not.
  let left = true;
  try {
    try {
      await fill(temp.file, source, { options, fsync });
    } finally {
      await temp.file.close();
    }
    signal?.throwIfAborted();
    await publish(temp.path, path, ifAbsent);
    left = ifAbsent;
  } finally {
    if (left) await unlink(temp.path).catch(() => undefined);
  }
  if (fsync) await syncUpwards(what.root, path);
}

async function fill(
  file: FileHandle,
  source: SegmentSource,
  { options, fsync }: { readonly options: PutOptions; readonly fsync: boolean },
): Promise<void> {
  let unflushed = 0;
  for await (const slice of sourceSlices(source, options)) {
    await writeAll(file, slice);
    unflushed += slice.byteLength;
    if (fsync && unflushed >= FLUSH_EVERY_BYTES) {
      await file.datasync();
      unflushed = 0;
    }
  }
  if (fsync) await file.datasync();
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.byteLength - at);
    at += bytesWritten;
  }
}

async function publish(from: string, path: ObjectPath, ifAbsent: boolean): Promise<void> {
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

function whyNotPublished(cause: unknown, path: ObjectPath, ifAbsent: boolean): unknown {
  if (ifAbsent && hasCode(cause, 'EEXIST')) return existsAlready(path.key, cause);
  if (!hasCode(cause, 'EISDIR', 'ENOTDIR', 'EEXIST')) return cause;
  return new RemoteStorageError(
    'invalid-configuration',
    `The object ${JSON.stringify(path.key)} cannot be stored: a file system holds either objects below a name, or one of that name`,
    { key: path.key, cause },
  );
}

// The directories may be new, and not by this call alone.
async function syncUpwards(root: string, path: ObjectPath): Promise<void> {
  for (const directory of path.directories.toReversed()) await syncDirectory(directory);
  await syncDirectory(root);
}
