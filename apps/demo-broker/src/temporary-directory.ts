import {
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@logloft/clock';

const PREFIX = 'logloft-';
const OWNER_FILE = 'owner.json';

/** A directory without an owner file is being made, unless it is that old. */
const UNOWNED_FOR_MS = 60 * 60 * 1000;

/** Where and when. */
export interface TemporaryDirectoryOptions {
  readonly clock: Clock;
  /** Where temporary directories are. Default: that of the system. */
  readonly base?: string | undefined;
}

/** The process that a directory belongs to. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  /** Containers may share a directory and a host name, and count their processes apart. */
  readonly pidNamespace: string;
}

/**
 * A fresh directory of this process. It names its owner in a file, so that a later start can tell
 * what a killed process left behind.
 */
export class TemporaryDirectory {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes one. @throws what the file system says */
  static async create(options: TemporaryDirectoryOptions): Promise<TemporaryDirectory> {
    const path = await mkdtemp(join(options.base ?? tmpdir(), PREFIX));
    const owner: Owner = { pid: process.pid, ...(await thisPlace()) };
    const file = join(path, OWNER_FILE);
    await writeFile(`${file}.new`, JSON.stringify(owner));
    await rename(`${file}.new`, file);
    return new TemporaryDirectory(path);
  }

  /** Removes it with all that is in it. Idempotent. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Removes directories whose process has ended without doing so. What belongs to a living process, to
 * another user, to another machine or container, or to nobody for less than an hour, stays.
 *
 * @returns the paths that are gone
 */
export async function sweepTemporaryDirectories(
  options: TemporaryDirectoryOptions,
): Promise<readonly string[]> {
  const base = options.base ?? tmpdir();
  const here = await thisPlace();
  const names = await readdir(base).catch(() => []);
  const swept: string[] = [];
  for (const name of names) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(base, name);
    try {
      if (!(await isAbandoned(path, here, options.clock))) continue;
      await rm(path, { recursive: true, force: true });
      swept.push(path);
    } catch {
      // Somebody else sweeps it at the same time, or it cannot be removed; the next start tries again.
    }
  }
  return swept;
}

async function isAbandoned(path: string, here: Omit<Owner, 'pid'>, clock: Clock): Promise<boolean> {
  const { uid, mtimeMs } = await stat(path);
  if (process.getuid !== undefined && uid !== process.getuid()) return false;
  const owner = await readOwner(path);
  if (owner === undefined) return clock.now() - mtimeMs > UNOWNED_FOR_MS;
  const isOfHere = owner.host === here.host && owner.pidNamespace === here.pidNamespace;
  return isOfHere && !isAlive(owner.pid);
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const owner: unknown = JSON.parse(await readFile(join(path, OWNER_FILE), 'utf8'));
    return isOwner(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'pid' in value &&
    Number.isSafeInteger(value.pid) &&
    'host' in value &&
    typeof value.host === 'string' &&
    'pidNamespace' in value &&
    typeof value.pidNamespace === 'string'
  );
}

async function thisPlace(): Promise<Omit<Owner, 'pid'>> {
  const pidNamespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return { host: hostname(), pidNamespace };
}

function isAlive(pid: number): boolean {
  // 0 and negative numbers would ask about groups of processes.
  if (pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
