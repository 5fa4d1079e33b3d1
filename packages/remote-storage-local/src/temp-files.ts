import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock, RandomSource } from '@logloft/clock';
import { hasCode, lstatIfThere, TEMP_DIRECTORY } from './object-path.ts';

const NAME = /^(?<host>[0-9a-f]{8})-(?<pid>\d{1,10})-[0-9a-f]{16}\.tmp$/;

// Of a writer that cannot be asked whether it still lives, a file counts as left behind after this.
const FOREIGN_AGE_MS = 86_400_000;

// Two stores with equally seeded generators propose the same names.
const MAX_NAME_ATTEMPTS = 100;

/** An unfinished object. */
export interface TempFile {
  readonly path: string;
  readonly file: FileHandle;
}

/**
 * The unfinished objects of a root. They are in one directory of their own in the same file system, so
 * that publishing is a rename, and a start sweeps away what a crash left there.
 */
export class TempFiles {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #random: RandomSource;

  constructor(root: string, context: { readonly clock: Clock; readonly random: RandomSource }) {
    this.#directory = join(root, TEMP_DIRECTORY);
    this.#clock = context.clock;
    this.#random = context.random;
  }

  /** Whether the directory that {@link TempFiles.sweep} made is there, and with it the root. */
  async isThere(): Promise<boolean> {
    return (await lstatIfThere(this.#directory))?.isDirectory() ?? false;
  }

  /** Creates a file that nobody else has. */
  async create(): Promise<TempFile> {
    for (let attempt = 1; ; attempt += 1) {
      const token = Buffer.from(this.#random.fill(new Uint8Array(8))).toString('hex');
      const path = join(this.#directory, `${hostToken()}-${process.pid}-${token}.tmp`);
      try {
        return { path, file: await open(path, 'wx') };
      } catch (error) {
        if (!hasCode(error, 'EEXIST') || attempt >= MAX_NAME_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Removes what writers that no longer live left behind. Files of any other name stay.
   *
   * @returns how many files were removed
   */
  async sweep(): Promise<number> {
    await mkdir(this.#directory, { recursive: true });
    let removed = 0;
    for (const name of await readdir(this.#directory)) {
      if (await this.#removeIfAbandoned(name)) removed += 1;
    }
    return removed;
  }

  async #removeIfAbandoned(name: string): Promise<boolean> {
    const groups = NAME.exec(name)?.groups;
    if (groups === undefined) return false;
    const path = join(this.#directory, name);
    try {
      const { mtimeMs } = await stat(path);
      if (!this.#isAbandoned(groups['host'], Number(groups['pid']), mtimeMs)) return false;
      await unlink(path);
      return true;
    } catch (error) {
      // Another start sweeps, too, or its writer has just published it.
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    }
  }

  #isAbandoned(host: string | undefined, pid: number, mtimeMs: number): boolean {
    const nowMs = this.#clock.now();
    if (nowMs - mtimeMs > FOREIGN_AGE_MS) return true;
    if (host !== hostToken()) return false;
    // Process ids repeat, in containers at every start: older than this process is of a former life.
    if (pid === process.pid) return mtimeMs < nowMs - process.uptime() * 1_000;
    return !isAlive(pid);
  }
}

function hostToken(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}
