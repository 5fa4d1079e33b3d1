/** Bytes `start` to `end` of an object, both counted in. */
export interface ResolvedRange {
  readonly start: number;
  readonly end: number;
}

/**
 * What a `Range` header means for an object of `size` bytes: `undefined` when it is to be ignored (there
 * is none, it is malformed, or it has several ranges), `unsatisfiable` when nothing of it is there.
 */
export function resolveRange(
  header: string | undefined,
  size: number,
): ResolvedRange | 'unsatisfiable' | undefined {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(' ', '') ?? '');
  if (parts === null) return undefined;
  const [, first = '', last = ''] = parts;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const count = Number(last);
    if (count === 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - count), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (end < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) };
}
