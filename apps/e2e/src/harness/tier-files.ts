import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file, with its size in bytes. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

/** Files below a directory whose names end so, by name; none when there is no such directory. */
export async function filesBelow(directory: string, suffix: string): Promise<readonly FoundFile[]> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const found: FoundFile[] = [];
  for (const name of names.filter((one) => one.endsWith(suffix)).toSorted()) {
    const path = join(directory, name);
    // It may be removed meanwhile.
    const bytes = await stat(path).then(
      ({ size }) => size,
      () => undefined,
    );
    if (bytes !== undefined) found.push({ path, bytes });
  }
  return found;
}

/** Bytes of files together. */
export function bytesOf(files: readonly FoundFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
