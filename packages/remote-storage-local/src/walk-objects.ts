import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compareKeys, type ObjectHead } from '@logloft/remote-storage';
import { hasCode, lstatIfThere, objectPath, TEMP_DIRECTORY } from './object-path.ts';

/**
 * The objects below a root in byte order of their keys. One directory is read at a time, when its
 * turn comes; what disappears meanwhile is passed over, as are links and foreign names.
 */
export async function* walkObjects(
  root: string,
  prefix: string,
): AsyncGenerator<ObjectHead, void, void> {
  yield* walk(root, '', prefix);
}

async function* walk(
  root: string,
  base: string,
  prefix: string,
): AsyncGenerator<ObjectHead, void, void> {
  for (const entry of await entriesOf(join(root, base))) {
    const key = `${base}${entry.name}`;
    if (entry.isDirectory()) {
      const below = `${key}/`;
      const hidden = key === TEMP_DIRECTORY;
      if (!hidden && (below.startsWith(prefix) || prefix.startsWith(below))) {
        yield* walk(root, below, prefix);
      }
    } else if (key.startsWith(prefix) && isObjectKey(root, key)) {
      const found = await lstatIfThere(join(root, key));
      if (found?.isFile()) yield { key, size: found.size };
    }
  }
}

// A directory sorts by its name with the `/` that follows in the keys: `a-b` comes before `a/b`.
async function entriesOf(directory: string): Promise<Dirent[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  });
  const sortName = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
  return entries
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .sort((a, b) => compareKeys(sortName(a), sortName(b)));
}

function isObjectKey(root: string, key: string): boolean {
  try {
    return objectPath(root, key).key === key;
  } catch {
    return false;
  }
}
