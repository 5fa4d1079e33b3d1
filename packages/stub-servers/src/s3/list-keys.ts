import { compareUtf8, type SortedKeys } from '../storage/sorted-keys.ts';

/** Which keys a listing wants. */
export interface KeyQuery {
  readonly prefix: string;
  /** Empty: no grouping. */
  readonly delimiter: string;
  /** Only what comes behind this in the order of UTF-8 bytes; empty: from the start. */
  readonly after: string;
  /** Whether `after` is a common prefix that was listed, so that all below it is done. */
  readonly skipBelowAfter: boolean;
  /** 0 or more; a common prefix counts as one. */
  readonly maxEntries: number;
}

/** One entry of a listing: a value, or a common prefix that stands for all keys below it. */
export type KeyEntry<Value> =
  | { readonly kind: 'value'; readonly key: string; readonly value: Value }
  | { readonly kind: 'prefix'; readonly key: string };

/** A page of a listing. */
export interface KeyPage<Value> {
  readonly entries: readonly KeyEntry<Value>[];
  /** Whether there is more behind it. */
  readonly isTruncated: boolean;
}

/** Behind every key that begins with a text. */
const LAST = '\u{10ffff}';

/** Finds one page of keys; the cost grows with what is listed, not with what is stored. */
export function listKeys<Value>(keys: SortedKeys<Value>, query: KeyQuery): KeyPage<Value> {
  const { prefix, after, maxEntries } = query;
  const entries: KeyEntry<Value>[] = [];
  let index = keys.firstIndexFrom(compareUtf8(after, prefix) < 0 ? prefix : after);
  for (;;) {
    const key = keys.keyAt(index);
    if (key === undefined || !key.startsWith(prefix)) return { entries, isTruncated: false };
    const entry = entryOf(keys, key, query);
    const isListed = isBefore(key, query) || entries.at(-1)?.key === entry?.key;
    if (!isListed && entry !== undefined) {
      if (entries.length >= maxEntries) return { entries, isTruncated: maxEntries > 0 };
      entries.push(entry);
    }
    // Over a whole group in one step; a key that begins with it and U+10FFFF is met one by one.
    index = Math.max(
      index + 1,
      entry?.kind === 'prefix' ? keys.firstIndexFrom(entry.key + LAST) : 0,
    );
  }
}

function entryOf<Value>(
  keys: SortedKeys<Value>,
  key: string,
  query: KeyQuery,
): KeyEntry<Value> | undefined {
  const group = commonPrefix(key, query);
  if (group !== undefined) return { kind: 'prefix', key: group };
  const value = keys.get(key);
  return value === undefined ? undefined : { kind: 'value', key, value };
}

/** Whether a key belongs to an earlier page. */
function isBefore(key: string, { after, skipBelowAfter }: KeyQuery): boolean {
  if (after === '') return false;
  return compareUtf8(key, after) <= 0 || (skipBelowAfter && key.startsWith(after));
}

function commonPrefix(key: string, { prefix, delimiter }: KeyQuery): string | undefined {
  if (delimiter === '') return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}
