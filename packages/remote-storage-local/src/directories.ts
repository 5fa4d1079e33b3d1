import { open, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from './object-path.ts';

/** Makes names in a directory durable. One that is gone meanwhile has nothing left to keep. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows neither needs nor allows it.
  if (process.platform === 'win32') return;
  try {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Removes directories that are empty, from `directory` upwards, but never the root. */
export async function pruneEmpty(root: string, directory: string): Promise<void> {
  for (let at = directory; at !== root; at = dirname(at)) {
    try {
      await rmdir(at);
    } catch (error) {
      // Somebody else has put something in, or has been faster.
      if (hasCode(error, 'ENOENT')) continue;
      return;
    }
  }
}
