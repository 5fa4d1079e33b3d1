import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid } from 'node:process';
import { BrokerError } from '../errors.ts';

const LOCK_FILE = '.lock';

/** Directories that brokers of this process hold. */
const heldHere = new Set<string>();

interface LockOwner {
  readonly pid: number;
  /** When the process started, where the system tells; process numbers come back. */
  readonly startedAt: string | undefined;
}

/**
 * Makes sure that one broker at a time uses a directory. The lock of a process that is gone is taken over.
 *
 * @returns lets the directory go
 * @throws BrokerError `LOGLOFT_BROKER_DATA_DIRECTORY` when another broker uses it, or it cannot be written
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, LOCK_FILE);
  if (heldHere.has(path)) throw inUse(directory, 'this process');
  heldHere.add(path);
  try {
    const owner = await readOwner(path);
    if (owner !== undefined && owner.pid !== pid && isAlive(owner)) {
      throw inUse(directory, `process ${owner.pid}`);
    }
    await writeFile(path, JSON.stringify({ pid, startedAt: startTimeOf(pid) }));
  } catch (error) {
    heldHere.delete(path);
    if (error instanceof BrokerError) throw error;
    throw new BrokerError(
      'LOGLOFT_BROKER_DATA_DIRECTORY',
      `Cannot use the directory ${directory}: ${(error as Error).message}`,
      { cause: error },
    );
  }
  return async () => {
    heldHere.delete(path);
    await rm(path, { force: true });
  };
}

function inUse(directory: string, by: string): BrokerError {
  return new BrokerError(
    'LOGLOFT_BROKER_DATA_DIRECTORY',
    `The directory ${directory} is in use by another broker (${by}). Stop that one, or choose another directory.`,
  );
}

async function readOwner(path: string): Promise<LockOwner | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('pid' in parsed)) return undefined;
    const startedAt = 'startedAt' in parsed ? parsed.startedAt : undefined;
    return {
      pid: Number(parsed.pid),
      startedAt: typeof startedAt === 'string' ? startedAt : undefined,
    };
  } catch {
    // Half-written by a process that was killed.
    return undefined;
  }
}

function isAlive(owner: LockOwner): boolean {
  if (!Number.isInteger(owner.pid) || owner.pid <= 0) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const startedAt = startTimeOf(owner.pid);
  return startedAt === undefined || owner.startedAt === undefined || startedAt === owner.startedAt;
}

/** Field 22 of /proc/PID/stat, in clock ticks since boot; `undefined` where there is no such file. */
function startTimeOf(processId: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    // The second field, the command in parentheses, may hold spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
