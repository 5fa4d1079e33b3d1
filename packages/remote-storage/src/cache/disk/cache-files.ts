import { type FileHandle, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';

/** The operations on files that the cache on disk needs. A test brings its own. */
export interface CacheFiles {
  /** Makes the directory, and those above it, where they are missing. */
  makeDirectory(path: string): Promise<void>;
  list(path: string): Promise<readonly string[]>;
  /** @param flags as of `open(2)` in Node's spelling: `r` or `wx` */
  open(path: string, flags: 'r' | 'wx'): Promise<FileHandle>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The files of the machine. What the cache makes is for its owner's eyes alone. */
export const diskFiles: CacheFiles = Object.freeze<CacheFiles>({
  makeDirectory: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  list: (path) => readdir(path),
  open: (path, flags) => open(path, flags, 0o600),
  rename,
  remove: unlink,
});
