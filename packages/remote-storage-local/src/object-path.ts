import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertObjectKey, RemoteStorageError } from '@logloft/remote-storage';

/** Longest key in bytes of UTF-8; a path may have 4,096 with the root's own. */
export const MAX_KEY_BYTES = 2_048;

/** Directory below the root for objects that are being written. No key may begin with it. */
export const TEMP_DIRECTORY = '.logloft-tmp';

// What file systems allow for one name.
const MAX_PART_BYTES = 255;

/** Where an object is. */
export interface ObjectPath {
  readonly key: string;
  /** The file. */
  readonly file: string;
  /** The directories that lead to it from the root, outermost first, without the root itself. */
  readonly directories: readonly string[];
}

/**
 * The place of an object below the root.
 *
 * @throws RemoteStorageError `invalid-configuration` for keys that could lead elsewhere, or that a
 *   file system cannot hold
 */
export function objectPath(root: string, key: string): ObjectPath {
  assertObjectKey(key, MAX_KEY_BYTES);
  const parts = key.split('/');
  if (parts[0] === TEMP_DIRECTORY) {
    throw refused(key, `must not begin with ${TEMP_DIRECTORY}, which is for unfinished objects`);
  }
  const long = parts.find((part) => Buffer.byteLength(part) > MAX_PART_BYTES);
  if (long !== undefined) {
    const bytes = Buffer.byteLength(long);
    throw refused(key, `has a part of ${bytes} bytes, a file name holds ${MAX_PART_BYTES}`);
  }
  const directories = parts.slice(0, -1).map((_, at) => join(root, ...parts.slice(0, at + 1)));
  return { key, file: join(root, ...parts), directories };
}

/**
 * Refuses to follow symbolic links below the root: they may lead out of it.
 *
 * @throws RemoteStorageError `denied` at a link; `invalid-configuration` where an object is in the way
 */
export async function assertNoLinks(path: ObjectPath): Promise<void> {
  for (const directory of path.directories) {
    const found = await lstatIfThere(directory);
    if (found === undefined) return;
    if (found.isSymbolicLink()) throw linkFound(path.key, directory);
    if (!found.isDirectory()) {
      throw refused(path.key, `cannot be stored below ${directory}, which is an object itself`);
    }
  }
}

/** What is at a path, itself and not what it links to. */
export async function lstatIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The error for a symbolic link where an object or a directory should be. */
export function linkFound(key: string, path: string): RemoteStorageError {
  return new RemoteStorageError(
    'denied',
    `The object ${JSON.stringify(key)} is behind the symbolic link ${path}; links below the root are not followed`,
    { key },
  );
}

/** Whether an error of the operating system has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return typeof error.code === 'string' && codes.includes(error.code);
}

function refused(key: string, problem: string): RemoteStorageError {
  return new RemoteStorageError(
    'invalid-configuration',
    `Object key ${JSON.stringify(key.slice(0, 200))} ${problem}`,
    { key },
  );
}
