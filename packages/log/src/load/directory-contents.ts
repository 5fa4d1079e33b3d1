import { DELETED_SUFFIX, parseSegmentFileName } from '../segment-files.ts';

/** What a partition's directory holds, by what is to be done with it. */
export interface DirectoryContents {
  /** Base offsets of the `.log` files, ascending. */
  readonly segments: readonly number[];
  /** Offsets of the `.snapshot` files, ascending. */
  readonly snapshots: readonly number[];
  /** Names of files that belong to nothing: removed ones, indexes without a log. */
  readonly leftovers: readonly string[];
}

const LEFTOVER_SUFFIXES = [DELETED_SUFFIX, '.cleaned'];

/** Sorts the names in a partition's directory. */
export function sortDirectory(names: readonly string[]): DirectoryContents {
  const segments = new Set<number>();
  const snapshots: number[] = [];
  const leftovers: string[] = [];
  for (const name of names) {
    const parsed = parseSegmentFileName(name);
    if (parsed?.kind === 'log') segments.add(parsed.offset);
    else if (parsed?.kind === 'snapshot') snapshots.push(parsed.offset);
    else if (LEFTOVER_SUFFIXES.some((suffix) => name.endsWith(suffix))) leftovers.push(name);
  }
  for (const name of names) {
    const parsed = parseSegmentFileName(name);
    if (parsed === undefined || parsed.kind === 'log' || parsed.kind === 'snapshot') continue;
    if (!segments.has(parsed.offset)) leftovers.push(name);
  }
  const ascending = (a: number, b: number): number => a - b;
  return {
    segments: [...segments].sort(ascending),
    snapshots: snapshots.sort(ascending),
    leftovers,
  };
}
