import { readFile } from 'node:fs/promises';

const SAMPLE_MS = 50;
const KIB = 1024;
const MIB = 1024 * 1024;

/** Resident memory of a process in bytes, `undefined` where the system does not tell (only Linux does). */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * KIB;
}

/** The resident memory of a process while something is done to it. */
export interface MemoryReport {
  readonly beforeBytes: number;
  readonly peakBytes: number;
}

/** Runs something, and looks at the memory of a process all the time. */
export async function whileMeasuring(
  pid: number,
  run: () => Promise<unknown>,
): Promise<MemoryReport> {
  const beforeBytes = (await residentBytes(pid)) ?? 0;
  let peakBytes = beforeBytes;
  const look = async (): Promise<void> => {
    peakBytes = Math.max(peakBytes, (await residentBytes(pid)) ?? 0);
  };
  const timer = setInterval(() => void look(), SAMPLE_MS);
  try {
    await run();
    await look();
  } finally {
    clearInterval(timer);
  }
  return { beforeBytes, peakBytes };
}

/** Holds the growth against a bound. @returns a figure for the check's line */
export function assertGrowth({ beforeBytes, peakBytes }: MemoryReport, maxBytes: number): string {
  const growth = peakBytes - beforeBytes;
  const text = `memory ${mebibytes(beforeBytes)}, at most ${mebibytes(peakBytes)}`;
  if (growth > maxBytes) {
    throw new Error(`${text}: it grew by more than ${mebibytes(maxBytes)}`);
  }
  return text;
}

/** For people. */
export function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(0)} MiB`;
}
