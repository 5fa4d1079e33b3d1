/** What an answer says of the bytes that it carries. */
export interface ContentRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

/** Reads `bytes 5-9/100`; `undefined` for anything else. */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const [, first, last] = /^bytes (\d{1,15})-(\d{1,15})\/(?:\d+|\*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined) return undefined;
  const range = { start: Number(first), end: Number(last) };
  return range.end >= range.start ? range : undefined;
}
