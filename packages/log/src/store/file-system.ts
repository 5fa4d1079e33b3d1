/**
 * An open file. Positions are explicit, so a failed write leaves nothing behind but bytes past the
 * end, which {@link LogFile.truncate} removes. Calls fail with the errors of `node:fs`, told apart
 * by their `code`.
 */
export interface LogFile {
  readonly path: string;

  /** Bytes in the file. */
  size(): number;

  /**
   * Writes the buffers one after the other from `position` on, synchronously: into the page cache
   * this costs 6 to 12 us a batch of 16 KiB, a hop to the thread pool 40 to 60 us. The bytes are
   * the caller's again when it returns.
   *
   * @returns bytes written; fewer than given (a short write) is no error
   */
  writev(buffers: readonly Uint8Array[], position: number): number;

  /**
   * Reads synchronously; meant for bytes that are in memory anyway.
   *
   * @returns bytes read, 0 at the end of the file
   */
  read(target: Uint8Array, at: number, length: number, position: number): number;

  /** Like {@link LogFile.read}, away from the main thread. */
  readAsync(target: Uint8Array, at: number, length: number, position: number): Promise<number>;

  /** Cuts the file, synchronously: for recovery, and for the few bytes of a failed write. */
  truncate(size: number): void;

  /** Cuts the file away from the main thread. */
  truncateAsync(size: number): Promise<void>;

  /** `fdatasync`: when it resolves, the bytes written before the call survive a power cut. */
  sync(): Promise<void>;

  /** Closes the handle; no call may follow. */
  close(): Promise<void>;
}

/** Facts about a file. */
export interface FileFacts {
  readonly size: number;
  /** Ms since the epoch of the last change. */
  readonly modifiedMs: number;
}

/**
 * All that the log wants of a file system, narrow enough to be replaced by one in memory, or by one
 * that fails on purpose. Methods ending in `Sync` are for start-up and for a new partition; nothing
 * else but the cheap `openSync` and `renameSync` runs synchronously later.
 */
export interface FileSystem {
  /** Whether other processes and threads can open the paths. */
  readonly persistent: boolean;

  /** Opens a file for reading and writing; `create` makes it where absent. */
  openSync(path: string, mode: 'create' | 'existing'): LogFile;

  /** Opens an existing file away from the main thread. */
  open(path: string): Promise<LogFile>;

  /** The whole file, or nothing where there is none. */
  readFileSync(path: string): Buffer | undefined;

  /** Writes a whole file, not synced. */
  writeFileSync(path: string, bytes: Uint8Array): void;

  /** Writes and syncs a whole file. */
  writeFile(path: string, bytes: Uint8Array): Promise<void>;

  /** Facts about a file, or nothing where there is none. */
  statSync(path: string): FileFacts | undefined;

  /** Names of what a directory holds. */
  listSync(directory: string): string[];

  /** The same, away from the main thread; empty where there is no such directory. */
  list(directory: string): Promise<string[]>;

  /** Makes a directory, with its parents; present is no error. */
  makeDirectorySync(directory: string): void;

  /** Renames a file or directory, over an existing file. Absent is an error. */
  renameSync(from: string, to: string): void;

  /** Renames away from the main thread. */
  rename(from: string, to: string): Promise<void>;

  /** Removes a file; absent is no error. Frees its blocks, which may take 300 ms for 256 MB. */
  remove(path: string): Promise<void>;

  /** Removes an empty directory; absent is no error. */
  removeDirectory(directory: string): Promise<void>;

  /** Makes names created, renamed and removed in the directory survive a power cut. */
  syncDirectory(directory: string): Promise<void>;
}
