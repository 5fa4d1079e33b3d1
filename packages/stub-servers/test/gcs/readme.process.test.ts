import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { OPERATIONS } from '../../src/gcs/gcs-service.ts';
import { resolveGcsStubOptions } from '../../src/gcs/gcs-stub-options.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const [, section = ''] = read('../../README.md').split('## Google Cloud Storage');

test('the example of the README runs, and prints what it says', async () => {
  const example = read('./readme-example.ts');
  expect(section).toContain(`\`\`\`ts\n${example}\`\`\``);
  const printed: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation((word) => void printed.push(String(word)));
  await import('./readme-example.ts');
  expect(printed).toEqual([...example.matchAll(/\/\/ (.+)/g)].map(([, output]) => output));
});

test('the README has every operation, and no other', () => {
  const [, table = ''] = section.split('### What is served');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => {
    const [, names = ''] = row.split('|');
    let group = '';
    // The first of a row is whole, those behind it leave the group out.
    return [...names.matchAll(/`(\w+)?(?:\.(\w+))?`/g)].map(([, before = group, name]) => {
      group = before;
      return name === undefined ? group : `${group}.${name}`;
    });
  });
  expect(named.toSorted()).toEqual([...OPERATIONS].toSorted());
});

test('the README has every option, and no other', () => {
  const [, table = ''] = section.split('### Options');
  const [rows = ''] = table.split('###');
  const named = rows
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.toSorted()).toEqual(Object.keys(resolveGcsStubOptions({})).toSorted());
});
