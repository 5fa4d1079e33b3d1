import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createObjectStore } from '../../src/index.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

// S52 of the known cases: options were not documented, or under a wrong name.
test('the table of the README has the options of the plugin, and no other (S52)', () => {
  const [, section = ''] = read('../../README.md').split('\n## Options\n');
  const [table = ''] = section.split('\n## ');
  const told = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name ?? '');
  const code = read('../../src/create-object-store.ts');
  const known = [...code.matchAll(/^\s+'([a-z.]+)': [a-z]+Option\(/gm)].map(([, name]) => name);
  expect(told).toEqual(known);
  expect(told).toEqual(['max.bytes']);
  expect(() => createObjectStore({ 'max.bytes': 'x' })).toThrow(/max\.bytes/);
});
