import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compareKeys, type ObjectHead } from '@logloft/remote-storage';
import { hasCode, lstatIfThere, MORE_SUFFIX, objectPath, TEMP_DIRECTORY } from './object-path.ts';

interface Entry {
  /** The whole part of the key, also where it is spread over several names. */
  readonly part: string;
  readonly path: string;
  readonly isDirectory: boolean;
}

interface Place {
  readonly root: string;
  /** A directory. */
  readonly path: string;
  /** What the keys of all objects in it begin with. */
  readonly base: string;
}

/**
 * The objects below a root in byte order of their keys. One directory is read at a time, when its
 * turn comes; what disappears meanwhile is passed over, as are links and foreign names.
 */
export async function* walkObjects(
  root: string,
  prefix: string,
): AsyncGenerator<ObjectHead, void, void> {
  yield* walk({ root, path: root, base: '' }, prefix);
}

async function* walk(place: Place, prefix: string): AsyncGenerator<ObjectHead, void, void> {
  const { root, base } = place;
  for (const { part, path, isDirectory } of await entriesOf(place.path)) {
    const key = `${base}${part}`;
    if (isDirectory) {
      const below = `${key}/`;
      const hidden = key === TEMP_DIRECTORY;
      if (!hidden && (below.startsWith(prefix) || prefix.startsWith(below))) {
        yield* walk({ root, path, base: below }, prefix);
      }
    } else if (key.startsWith(prefix) && isObjectAt(root, key, path)) {
      const found = await lstatIfThere(path);
      if (found?.isFile()) yield { key, size: found.size };
    }
  }
}

// A directory sorts by its name with the `/` that follows in the keys: `a-b` comes before `a/b`.
async function entriesOf(directory: string): Promise<Entry[]> {
  const entries = await readEntries(directory, '');
  const sortName = ({ part, isDirectory }: Entry): string => (isDirectory ? `${part}/` : part);
  return entries.sort((a, b) => compareKeys(sortName(a), sortName(b)));
}

async function readEntries(directory: string, begun: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const found of await readDirectory(directory)) {
    const path = join(directory, found.name);
    const isDirectory = found.isDirectory();
    if (isDirectory && found.name.endsWith(MORE_SUFFIX)) {
      const part = `${begun}${found.name.slice(0, -MORE_SUFFIX.length)}`;
      entries.push(...(await readEntries(path, part)));
    } else if (isDirectory || found.isFile()) {
      entries.push({ part: `${begun}${found.name}`, path, isDirectory });
    }
  }
  return entries;
}

async function readDirectory(directory: string): Promise<Dirent[]> {
  return await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  });
}

function isObjectAt(root: string, key: string, path: string): boolean {
  try {
    return objectPath(root, key).file === path;
  } catch {
    return false;
  }
}
