import type { SlicedWork } from './in-slices.ts';

/**
 * The items in ascending order of their keys; equal ones keep their order. Yields after each `slice`
 * items that were looked at, since the sort of a long array would hold up everything else.
 */
export function* sortedInSlices<T>(
  items: readonly T[],
  keyOf: (item: T) => number,
  slice: number,
): SlicedWork<readonly T[]> {
  const compare = (a: T, b: T): number => keyOf(a) - keyOf(b);
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += slice) {
    runs.push(items.slice(at, at + slice).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergedInSlices(runs[at] ?? [], runs[at + 1] ?? [], { compare, slice }));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedInSlices<T>(
  left: T[],
  right: T[],
  { compare, slice }: { readonly compare: (a: T, b: T) => number; readonly slice: number },
): SlicedWork<T[]> {
  const merged: T[] = [];
  let atLeft = 0;
  let atRight = 0;
  for (;;) {
    const one = left[atLeft];
    const other = right[atRight];
    if (one === undefined && other === undefined) return merged;
    if (one !== undefined && (other === undefined || compare(one, other) <= 0)) {
      merged.push(one);
      atLeft += 1;
    } else if (other !== undefined) {
      merged.push(other);
      atRight += 1;
    }
    if (merged.length % slice === 0) yield;
  }
}
