import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.ts';

/** Makes a directory that is removed with all that is in it at the end. */
export async function temporaryDirectory(cleanup: Cleanup): Promise<string> {
  // Not `logloft-…`: those are swept by the command when they are an hour old.
  const path = await mkdtemp(join(tmpdir(), 'e2e-logloft-'));
  cleanup.add(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}
