import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './cleanup.ts';

const WARM_STEP_BYTES = 1024 * 1024;

let parent = tmpdir();

/** Where scratch directories are made from now on, instead of the system's place for such. */
export function useScratchParent(directory: string): void {
  parent = directory;
}

/** A directory for files of a bench, gone at the end of the run at the latest. */
export class ScratchDirectory {
  readonly path: string;
  readonly #remove: () => void;

  constructor() {
    const path = mkdtempSync(join(parent, 'logloft-bench-'));
    this.path = path;
    this.#remove = atExit(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  }

  /** Removes it and what is in it. Idempotent. */
  remove(): void {
    this.#remove();
  }

  [Symbol.dispose](): void {
    this.remove();
  }
}

/**
 * Writes and drops so many bytes of page cache. On a virtual machine the first touch of memory costs
 * several times the later ones; whoever is measured first would pay for it.
 */
export function warmPageMemory(bytes: number): void {
  const scratch = new ScratchDirectory();
  try {
    const file = openSync(join(scratch.path, 'warm'), 'w');
    const step = Buffer.alloc(WARM_STEP_BYTES, 1);
    for (let written = 0; written < bytes; written += step.length) writeSync(file, step);
    ftruncateSync(file, 0);
    closeSync(file);
  } finally {
    scratch.remove();
  }
}
