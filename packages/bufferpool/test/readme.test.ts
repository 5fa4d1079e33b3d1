import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { ACCUMULATOR_ERROR_CODES } from '../src/accumulator/index.ts';
import { BUFFER_POOL_ERROR_CODES, BUFFER_POOL_METRICS } from '../src/index.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const readme = read('../README.md');
const listed = (pattern: RegExp): string[] => [...new Set(readme.match(pattern))].sort();

test('the first example of the README runs, and prints what the README says', async () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toBe(read('./readme-example.ts'));

  const [, output] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
  await import('./readme-example.ts');
  expect(`${printed.join('\n')}\n`).toBe(output);
});

test.each([
  './accumulator/kafkajs-example.ts',
  './shared/example/main.ts',
  './shared/example/worker.ts',
])('the README shows %s, which a test runs', (name) => {
  expect(readme).toContain(`\`\`\`ts\n${read(name)}\`\`\``);
});

test('the README has every error code and every metric, and no other', () => {
  expect(listed(/LOGLOFT_POOL_[A-Z_]+/g)).toEqual(Object.values(BUFFER_POOL_ERROR_CODES).sort());
  expect(listed(/LOGLOFT_ACCUMULATOR_[A-Z_]+/g)).toEqual(
    Object.values(ACCUMULATOR_ERROR_CODES).sort(),
  );
  const metrics = readme.slice(readme.indexOf('## Metrics'));
  for (const name of Object.keys(BUFFER_POOL_METRICS)) expect(metrics).toContain(`| \`${name}\` |`);
});
