import { randomBelow, seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { GcsError } from '../../src/gcs/gcs-error.ts';
import { listObjects, readListQuery } from '../../src/gcs/list-objects.ts';
import { objectContent } from '../../src/gcs/object-content.ts';
import { NO_SETTINGS } from '../../src/gcs/object-settings.ts';
import type { StoredObject } from '../../src/gcs/stored-object.ts';
import { SortedKeys } from '../../src/storage/sorted-keys.ts';
import { StoredBytes } from '../../src/storage/stored-bytes.ts';

const content = objectContent(StoredBytes.EMPTY);

function named(names: readonly string[]): SortedKeys<StoredObject> {
  const objects = new SortedKeys<StoredObject>();
  for (const name of names) {
    objects.set(name, {
      bucket: 'loft',
      name,
      content,
      settings: NO_SETTINGS,
      generation: 1,
      metageneration: 1,
      componentCount: undefined,
      createdAtMs: 0,
      updatedAtMs: 0,
    });
  }
  return objects;
}

interface Listed {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
  readonly pages: readonly number[];
}

/** All pages, one after the other. */
function listAll(names: readonly string[], query: Readonly<Record<string, string>>): Listed {
  const objects = named(names);
  const listed = { names: [] as string[], prefixes: [] as string[], pages: [] as number[] };
  let token: string | undefined;
  do {
    const page = listObjects(
      objects,
      readListQuery(new Map(Object.entries({ ...query, ...(token ? { pageToken: token } : {}) }))),
    );
    listed.names.push(...page.objects.map(({ name }) => name));
    listed.prefixes.push(...page.prefixes);
    listed.pages.push(page.objects.length + page.prefixes.length);
    token = page.nextPageToken;
  } while (token !== undefined);
  return listed;
}

function utf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

describe('listing', () => {
  test('shows every name or its prefix exactly once, in the order of bytes, for every page size', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const random = seededRandom(seed);
      const pick = (): string =>
        Array.from(
          { length: 1 + randomBelow(random, 5) },
          () => ['a', 'b', '/', '\u{1f600}', '\uff00', '\0'][randomBelow(random, 6)],
        ).join('');
      const names = [...new Set(Array.from({ length: randomBelow(random, 30) }, pick))];
      const prefix = randomBelow(random, 2) === 0 ? '' : pick().slice(0, 1);
      const maxResults = 1 + randomBelow(random, 6);
      const listed = listAll(names, { prefix, delimiter: '/', maxResults: `${maxResults}` });
      const matching = names.filter((name) => name.startsWith(prefix)).sort(utf8);
      const split = (name: string): number => name.indexOf('/', prefix.length);
      const plain = matching.filter((name) => split(name) === -1);
      const groups = matching
        .filter((name) => split(name) !== -1)
        .map((name) => name.slice(0, split(name) + 1));
      expect(listed.names, `seed ${seed}`).toEqual(plain);
      expect(listed.prefixes, `seed ${seed}`).toEqual([...new Set(groups)]);
      // All pages but the last are full: a prefix counts as one entry.
      for (const filled of listed.pages.slice(0, -1)) expect(filled).toBe(maxResults);
    }
  });

  test('starts at one name and ends before another', () => {
    const names = ['a', 'b', 'b/1', 'c', 'd'];
    const listed = listAll(names, { startOffset: 'b', endOffset: 'd', maxResults: '2' });
    expect(listed.names).toEqual(['b', 'b/1', 'c']);
  });

  test('shows an object whose name is a prefix beside it, when asked to', () => {
    const query = { delimiter: '/', includeTrailingDelimiter: 'true', maxResults: '1' };
    expect(listAll(['a', 'd/', 'd/x', 'e'], query)).toEqual({
      names: ['a', 'd/', 'e'],
      prefixes: ['d/'],
      pages: [1, 2, 1],
    });
  });

  test('knows delimiters longer than a character', () => {
    const listed = listAll(['a--b', 'a--c', 'a-d'], { delimiter: '--' });
    expect(listed).toMatchObject({ names: ['a-d'], prefixes: ['a--'] });
  });

  test('pages at 1000, whatever is asked', () => {
    const names = Array.from({ length: 2001 }, (_, index) => `k${index}`);
    expect(listAll(names, {}).pages).toEqual([1000, 1000, 1]);
    expect(listAll(names, { maxResults: '5000' }).pages).toEqual([1000, 1000, 1]);
  });

  test.each([
    { maxResults: '0' },
    { maxResults: '-1' },
    { maxResults: 'x' },
    { pageToken: 'AAAA' },
    { matchGlob: '*' },
  ])('refuses %j', (query) => {
    expect(() => readListQuery(new Map(Object.entries(query)))).toThrow(GcsError);
  });
});
