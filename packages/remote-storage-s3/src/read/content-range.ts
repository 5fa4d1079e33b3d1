/** What an answer says of the bytes that it carries. */
export interface ContentRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
  /** Bytes of the whole object; `undefined` where the store does not tell. */
  readonly total: number | undefined;
}

/** Reads `bytes 5-9/100`; `undefined` for anything else. */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const [, first, last, size] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined) return undefined;
  const total = size === '*' ? undefined : Number(size);
  const range = { start: Number(first), end: Number(last), total };
  return range.end >= range.start ? range : undefined;
}
