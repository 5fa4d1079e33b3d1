import { readFileSync } from 'node:fs';
import { systemClock } from '@logloft/clock';
import { contextWith } from '@logloft/remote-storage-testkit';
import { expect, test } from 'vitest';
import { createObjectStore } from '../../src/index.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Names in the first column of the table under "Options". */
function toldNames(): readonly string[] {
  const [, section = ''] = read('../../README.md').split('\n## Options\n');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name ?? '');
}

// S52 of the known cases: options were not documented, or under a wrong name.
test('the table of the README has the options of the plugin, and no other (S52)', async () => {
  const code = read('../../src/create-object-store.ts');
  const [, parsers = ''] = code.split('readPluginOptions(options, {');
  const known = [...parsers.matchAll(/^\s+'?([a-z.]+)'?: [a-z]+Option\(/gm)].map(
    ([, name]) => name,
  );
  expect(known.length).toBeGreaterThan(1);
  expect(toldNames().toSorted()).toEqual(known.toSorted());
  for (const name of [...toldNames(), 'no.such.option']) {
    const opening = createObjectStore({ [name]: '\0' }, contextWith(systemClock, 1));
    const failure = await Promise.resolve(opening).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'invalid-configuration' });
    expect(/unknown/i.test(String(failure))).toBe(name === 'no.such.option');
  }
});
