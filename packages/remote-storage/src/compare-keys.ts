/**
 * Orders keys by the bytes of their UTF-8, as listings do. Plain comparison of strings goes by UTF-16
 * and puts characters beyond U+FFFF before some below it.
 */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
