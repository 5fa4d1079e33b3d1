import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertObjectKey, RemoteStorageError } from '@logloft/remote-storage';

/** Longest key in bytes of UTF-8; a path may have 4,096 with the root's own. */
export const MAX_KEY_BYTES = 2_048;

/** Directory below the root for objects that are being written. No key may begin with it. */
export const TEMP_DIRECTORY = '.logloft-tmp';

/**
 * Ends the name of a directory that holds the rest of a part of a key: a topic's name may have 249
 * letters, and with its id it is longer than a file name can be. No part of a key may end with it.
 */
export const MORE_SUFFIX = '.logloft-more';

// What file systems allow for one name.
const MAX_NAME_BYTES = 255;

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
 * @throws RemoteStorageError `invalid-configuration` for keys that could lead elsewhere, and for the
 *   few names that the store keeps for itself
 */
export function objectPath(root: string, key: string): ObjectPath {
  assertObjectKey(key, MAX_KEY_BYTES);
  const parts = key.split('/');
  if (parts[0] === TEMP_DIRECTORY) {
    throw refused(key, `must not begin with ${TEMP_DIRECTORY}, which is for unfinished objects`);
  }
  if (parts.some((part) => part.endsWith(MORE_SUFFIX))) {
    throw refused(key, `must not have a part that ends with ${MORE_SUFFIX}`);
  }
  const names = parts.flatMap(namesOfPart);
  const directories = names.slice(0, -1).map((_, at) => join(root, ...names.slice(0, at + 1)));
  return { key, file: join(root, ...names), directories };
}

// A part that is too long for one name is spread over several, cut between characters.
function namesOfPart(part: string): string[] {
  if (Buffer.byteLength(part) <= MAX_NAME_BYTES) return [part];
  const room = MAX_NAME_BYTES - MORE_SUFFIX.length;
  const names: string[] = [];
  let name = '';
  let nameBytes = 0;
  for (const character of part) {
    const bytes = Buffer.byteLength(character);
    if (nameBytes + bytes > room) {
      names.push(`${name}${MORE_SUFFIX}`);
      name = '';
      nameBytes = 0;
    }
    name += character;
    nameBytes += bytes;
  }
  return [...names, name];
}

/**
 * Refuses to follow symbolic links below the root: they may lead out of it.
 *
 * @throws RemoteStorageError `denied` at a link
 */
export async function assertNoLinks(path: ObjectPath): Promise<void> {
  for (const directory of path.directories) {
    const found = await lstatIfThere(directory);
    if (found === undefined) return;
    if (found.isSymbolicLink()) throw linkFound(path.key, directory);
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
