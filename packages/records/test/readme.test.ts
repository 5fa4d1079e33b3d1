import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

test('the first example of the README runs, and prints what the README says', async () => {
  const readme = read('../README.md');
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toBe(read('./readme-example.ts'));

  const [, output] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
  await import('./readme-example.ts');
  expect(`${printed.join('\n')}\n`).toBe(output);
});

test('every error code and reason that is thrown is in the README, and no other', () => {
  const readme = read('../README.md');
  const errors = read('../src/errors.ts');
  const reasonsIn = (text: string) =>
    new Set([...text.matchAll(/^\s*\| '([a-z-]+)'/gm)].map((match) => match[1]));
  const tables = readme.slice(readme.indexOf('| corrupt: `reason` |'));
  const documented = [...tables.matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1]);
  expect(new Set(documented)).toEqual(reasonsIn(errors));
  for (const [code] of errors.matchAll(/LOGLOFT_[A-Z_]+/g)) expect(readme).toContain(code);
});
