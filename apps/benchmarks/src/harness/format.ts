import type { Summary } from './stats.ts';

const KIB = 1024;

/** Median and, in brackets, the smallest and the largest value. */
export function spread({ median, min, max }: Summary, unit: string): string {
  return `${figure(median)} ${unit} [${figure(min)}-${figure(max)}]`;
}

/** A number with about three digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '?';
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

/** Bytes in the largest binary unit that divides them. */
export function size(bytes: number): string {
  if (bytes % (KIB * KIB) === 0) return `${bytes / (KIB * KIB)} MiB`;
  return bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} B`;
}

/** Bytes in MB (10^6). */
export function megabytes(bytes: number): string {
  return `${figure(bytes / 1e6)} MB`;
}
