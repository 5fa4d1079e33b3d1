/** Bytes as MiB with two digits, for lines of figures. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}
