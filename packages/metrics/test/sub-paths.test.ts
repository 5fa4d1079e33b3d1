import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sources = new URL('../src/', import.meta.url).pathname;

/** The files that `entry` loads, by the imports in them that are more than types. */
function loadedBy(entry: string, loaded: Set<string> = new Set()): ReadonlySet<string> {
  if (loaded.has(entry)) return loaded;
  loaded.add(entry);
  const text = readFileSync(join(sources, entry), 'utf8');
  for (const [, from = ''] of text.matchAll(
    /^(?:import|export) (?!type)[^;]*? from '([^']+)';/gms,
  )) {
    if (from.startsWith('.')) loadedBy(join(entry, '..', from), loaded);
    else loaded.add(from);
  }
  return loaded;
}

test('the entry point loads no exporter, and no exporter loads the code of another', () => {
  const entries = ['index.ts', 'prometheus/index.ts', 'prom-client/index.ts', 'otel/index.ts'];
  const [main = [], prometheus = [], promClient = [], otel = []] = entries.map((entry) => [
    ...loadedBy(entry),
  ]);
  const foldersOf = (files: readonly string[]): ReadonlySet<string> =>
    new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? ''));
  expect(foldersOf(main)).toEqual(new Set(['stats']));
  expect(foldersOf(prometheus)).toEqual(new Set(['prometheus', 'bridging']));
  expect(foldersOf(promClient)).toEqual(new Set(['prom-client', 'prometheus', 'bridging']));
  expect(foldersOf(otel)).toEqual(new Set(['otel', 'bridging']));
  const packages = [...main, ...prometheus, ...promClient, ...otel].filter(
    (file) => !file.endsWith('.ts'),
  );
  expect(packages).toEqual([]);
});

test('no source imports a package but the clock', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(join(sources, file), 'utf8');
    const packages = [...text.matchAll(/ from '([^.][^']*)'/g)].map(([, from]) => from);
    expect(packages.filter((from) => from !== '@logloft/clock')).toEqual([]);
  }
});
