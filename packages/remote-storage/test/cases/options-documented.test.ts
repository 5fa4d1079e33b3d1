import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readLayoutOptions } from '../../src/index.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** Names in the tables of options, written out. */
function toldNames(): readonly string[] {
  const rows = readme
    .split('\n')
    .filter((line) => /^\| `[a-z]+(\.[a-z…<>]+)+`/.test(line))
    .map((line) => line.split('|')[1] ?? '');
  const names = rows.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
  );
  return names
    .filter((name) => !name.includes('…'))
    .flatMap((name) =>
      name.includes('<cache>')
        ? ['chunk', 'indexes', 'manifest'].map((cache) => name.replace('<cache>', cache))
        : [name.replace('<id>', 'k1')],
    );
}

/** Names that the code takes: what it suggests and accepts, asked for one at a time. */
function isKnown(name: string): boolean {
  try {
    readLayoutOptions({ 'encryption.key.pairs': 'k1', [name]: 'nonsense' });
    return true;
  } catch (error) {
    return !/unknown/i.test(String(error));
  }
}

/** All names in the sources that are keys of parsers. */
function codeNames(): readonly string[] {
  const sources = [
    'layout/layout-options.ts',
    'cache/cache-options.ts',
    'layout/encryption-options.ts',
  ];
  const text = sources
    .map((file) => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8'))
    .join('\n');
  const quoted = [...text.matchAll(/'([a-z]+(?:\.[a-z]+)+)'/g)].map(([, name]) => name ?? '');
  const files = ['public', 'private'].map((kind) => `encryption.key.pairs.k1.${kind}.key.file`);
  return [...new Set([...quoted, ...files])].filter(isKnown);
}

// S52: options were not documented, or under a wrong name.
test('every option of the layout is in the tables of the README, and no other (S52)', () => {
  const told = toldNames();
  expect(told.filter((name) => !isKnown(name))).toEqual([]);
  expect(new Set(told).size).toBe(told.length);
  const silent = codeNames().filter((name) => !told.includes(name));
  expect(silent).toEqual([]);
  expect(codeNames().length).toBeGreaterThan(30);
});
