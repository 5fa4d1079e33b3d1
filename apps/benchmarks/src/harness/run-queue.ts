import { readFileSync } from 'node:fs';

const NANOS_PER_MS = 1e6;

/**
 * Ms that a process (its main thread) has waited for a core while it had something to do: time that
 * other work took from it. NaN where the system does not tell.
 */
export function runQueueWaitMs(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    return Number(waited) / NANOS_PER_MS;
  } catch {
    return Number.NaN;
  }
}
