import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { TUNING_BOUNDS } from '../src/gcs-settings.ts';
import { OPTION_NAMES } from '../src/plugin-settings.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the example of the README runs, and prints what it says', async () => {
  const example = read('./readme-example.ts');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  const printed: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation((word) => void printed.push(word));
  await import('./readme-example.ts');
  expect(printed).toEqual([/console\.log.* \/\/ (.+)/.exec(example)?.[1]]);
});

test('the README has every option, and no other, with its default', () => {
  const [, section = ''] = readme.split('## Options');
  const [table = ''] = section.split('\n## ');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(named.toSorted()).toEqual(OPTION_NAMES.toSorted());
  const defaults = rows.map((row) => row.split('|')[2]?.trim());
  for (const { fallback } of Object.values(TUNING_BOUNDS)) {
    expect(defaults).toContain(String(fallback));
  }
});
