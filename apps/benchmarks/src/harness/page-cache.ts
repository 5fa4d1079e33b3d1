import { spawnSync } from 'node:child_process';

/**
 * Asks the system to drop one file from the page cache, by way of GNU `dd`. Its data must be on disk.
 *
 * @returns whether that was possible
 */
export function dropFromPageCache(path: string): boolean {
  const { status } = spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
  return status === 0;
}
