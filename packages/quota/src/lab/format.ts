const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** `52428800` as `50 MiB`: at most three digits and one after the point. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = value.toFixed(value >= 100 ? 0 : 1).replace(/\.0$/, '');
  return `${digits} ${UNITS[unit] ?? 'B'}`;
}

/** Bytes per second, `unlimited` from 2^63. */
export function formatRate(bytesPerSecond: number): string {
  return bytesPerSecond >= 2 ** 63 ? 'unlimited' : `${formatBytes(bytesPerSecond)}/s`;
}

/** `4096000` as `1 h 08 min`; seconds below an hour. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${rest(seconds % 60, 's')}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h${rest(minutes % 60, 'min')}`;
  return `${Math.floor(hours / 24)} d${rest(hours % 24, 'h')}`;
}

function rest(value: number, unit: string): string {
  return value === 0 ? '' : ` ${String(value).padStart(2, '0')} ${unit}`;
}
