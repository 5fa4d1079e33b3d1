import { randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { type KeyQuery, listKeys } from '../../src/s3/list-keys.ts';
import { SortedKeys } from '../../src/storage/sorted-keys.ts';

const SEED = 99;
const LETTERS = ['a', 'b', '/', '/', 'é', '😀', '\u{10ffff}', '\uff00'];

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The slow and obvious listing: all entries, grouped, in order. */
function obvious(keys: readonly string[], prefix: string, delimiter: string): string[] {
  const entries = keys
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      return at < 0 ? `value ${key}` : `prefix ${key.slice(0, at + delimiter.length)}`;
    });
  return [...new Set(entries)];
}

test(`pages of any size, one behind the other, are the whole listing (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const text = (length: number): string =>
    Array.from({ length }, () => LETTERS[randomBelow(random, LETTERS.length)]).join('');
  for (let turn = 0; turn < 300; turn += 1) {
    const keys = new SortedKeys<string>();
    const plain = new Set(
      Array.from({ length: randomBelow(random, 60) }, () => text(randomBelow(random, 6) + 1)),
    );
    for (const key of plain) keys.set(key, key);
    const prefix = text(randomBelow(random, 3));
    const delimiter = ['', '/', '/', 'a/'][randomBelow(random, 4)] ?? '';
    const expected = obvious([...plain].sort(compareBytes), prefix, delimiter);
    const maxEntries = randomBelow(random, 7) + 1;
    const seen: string[] = [];
    let query: KeyQuery = { prefix, delimiter, after: '', skipBelowAfter: false, maxEntries };
    for (let more = true; more; ) {
      const page = listKeys(keys, query);
      expect(page.entries.length).toBeLessThanOrEqual(maxEntries);
      seen.push(...page.entries.map(({ kind, key }) => `${kind} ${key}`));
      const last = page.entries.at(-1);
      more = page.isTruncated;
      if (more) expect(page.entries).toHaveLength(maxEntries);
      query = { ...query, after: last?.key ?? '', skipBelowAfter: last?.kind === 'prefix' };
    }
    expect(seen).toEqual(expected);
  }
});

test('what follows a given key begins behind it', () => {
  const keys = new SortedKeys<number>();
  for (const key of ['a', 'b', 'b/1', 'c']) keys.set(key, 0);
  const after = (text: string): readonly string[] =>
    listKeys(keys, {
      prefix: '',
      delimiter: '',
      after: text,
      skipBelowAfter: false,
      maxEntries: 10,
    }).entries.map(({ key }) => key);
  expect(after('a')).toEqual(['b', 'b/1', 'c']);
  expect(after('aa')).toEqual(['b', 'b/1', 'c']);
  expect(after('b')).toEqual(['b/1', 'c']);
  expect(after('c')).toEqual([]);
});
