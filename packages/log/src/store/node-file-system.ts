import fs from 'node:fs';
import type { FileFacts, FileSystem, LogFile } from './file-system.ts';

/** A file through a descriptor of the operating system. */
class NodeLogFile implements LogFile {
  readonly path: string;
  readonly #fd: number;

  constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

  size(): number {
    return fs.fstatSync(this.#fd).size;
  }

  writev(buffers: readonly Uint8Array[], position: number): number {
    const only = buffers.length === 1 ? buffers[0] : undefined;
    if (only !== undefined) return fs.writeSync(this.#fd, only, 0, only.length, position);
    return fs.writevSync(this.#fd, buffers, position);
  }

  read(target: Uint8Array, at: number, length: number, position: number): number {
    return fs.readSync(this.#fd, target, at, length, position);
  }

  readAsync(target: Uint8Array, at: number, length: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.read(this.#fd, target, at, length, position, (error, bytesRead) => {
        if (error === null) resolve(bytesRead);
        else reject(error);
      });
    });
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.#fd, size);
  }

  truncateAsync(size: number): Promise<void> {
    return settle((done) => fs.ftruncate(this.#fd, size, done));
  }

  sync(): Promise<void> {
    return settle((done) => fs.fdatasync(this.#fd, done));
  }

  close(): Promise<void> {
    return settle((done) => fs.close(this.#fd, done));
  }
}

function settle(call: (done: (error: Error | null | undefined) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}

/** Below a file there is nothing either. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function unlessMissing<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function ignoreMissing(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Opened for reading and writing without `O_APPEND`, which would ignore the position of a write. */
function flagsOf(mode: 'create' | 'existing'): number {
  return mode === 'create' ? fs.constants.O_RDWR | fs.constants.O_CREAT : fs.constants.O_RDWR;
}

/** The disk. */
export const nodeFileSystem: FileSystem = Object.freeze({
  persistent: true,

  openSync(path: string, mode: 'create' | 'existing'): LogFile {
    return new NodeLogFile(path, fs.openSync(path, flagsOf(mode), 0o644));
  },

  open(path: string): Promise<LogFile> {
    return new Promise((resolve, reject) => {
      fs.open(path, flagsOf('existing'), (error, fd) => {
        if (error === null) resolve(new NodeLogFile(path, fd));
        else reject(error);
      });
    });
  },

  readFileSync(path: string): Buffer | undefined {
    return unlessMissing(() => fs.readFileSync(path));
  },

  writeFileSync(path: string, bytes: Uint8Array): void {
    fs.writeFileSync(path, bytes);
  },

  writeFile(path: string, bytes: Uint8Array): Promise<void> {
    return fs.promises.writeFile(path, bytes, { flush: true });
  },

  statSync(path: string): FileFacts | undefined {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    return stats && { size: stats.size, modifiedMs: Math.floor(stats.mtimeMs) };
  },

  listSync(directory: string): string[] {
    return fs.readdirSync(directory);
  },

  async list(directory: string): Promise<string[]> {
    try {
      return await fs.promises.readdir(directory);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },

  makeDirectorySync(directory: string): void {
    fs.mkdirSync(directory, { recursive: true });
  },

  renameSync(from: string, to: string): void {
    fs.renameSync(from, to);
  },

  rename(from: string, to: string): Promise<void> {
    return fs.promises.rename(from, to);
  },

  remove(path: string): Promise<void> {
    return ignoreMissing(fs.promises.unlink(path));
  },

  removeDirectory(directory: string): Promise<void> {
    return ignoreMissing(fs.promises.rmdir(directory));
  },

  async syncDirectory(directory: string): Promise<void> {
    const handle = await fs.promises.open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
});
