import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the first example of the README runs, and prints what the README says', async () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toBe(read('./readme-example.ts'));

  const [, output] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
  await import('./readme-example.ts');
  expect(`${printed.join('\n')}\n`).toBe(output);
});

test('the README has every error code, and no other', () => {
  const codes = (text: string): Set<string> =>
    new Set([...text.matchAll(/LOGLOFT_METRICS_[A-Z_]+/g)].map(([code]) => code));
  expect(codes(readme)).toEqual(codes(read('../src/errors.ts')));
});

test('the README names every stat and scheme of bins that is exported', () => {
  const stats = [...read('../src/index.ts').matchAll(/export \{ (\w+) \} from '.\/stats\//g)];
  expect(stats.length).toBeGreaterThan(10);
  for (const [, stat] of stats) expect(readme).toContain(`\`${stat}\``);
});
