import { UsageError } from './usage-error.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['k', 1024],
  ['kib', 1024],
  ['kb', 1000],
  ['m', 1024 ** 2],
  ['mib', 1024 ** 2],
  ['mb', 1000 ** 2],
  ['g', 1024 ** 3],
  ['gib', 1024 ** 3],
  ['gb', 1000 ** 3],
  ['t', 1024 ** 4],
  ['tib', 1024 ** 4],
  ['tb', 1000 ** 4],
]);

/**
 * Reads a size such as `512MiB`, `64k` (= KiB) or `1GB`.
 *
 * @param what the flag, for the message
 * @throws UsageError when it is none, or below 1 byte
 */
export function parseByteSize(text: string, what: string): number {
  const bytes = byteSizeOf(text);
  if (bytes !== undefined) return bytes;
  throw new UsageError(`${what} needs a size such as 512MiB, got ${JSON.stringify(text)}.`);
}

/** The size that a text says; `undefined` when it says none, or less than 1 byte. */
export function byteSizeOf(text: string): number | undefined {
  const match = /^(?<count>\d+(?:\.\d+)?)\s*(?<unit>[a-z]*)$/i.exec(text.trim());
  const factor = UNITS.get(match?.groups?.['unit']?.toLowerCase() ?? '');
  const bytes = Math.round(Number(match?.groups?.['count']) * (factor ?? Number.NaN));
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : undefined;
}

/** A size for people: `1.5 MiB`. */
export function printByteSize(bytes: number): string {
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
