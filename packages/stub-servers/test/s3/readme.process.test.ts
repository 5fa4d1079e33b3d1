import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { S3_OPERATIONS } from '../../src/s3/s3-service.ts';
import { resolveS3StubOptions } from '../../src/s3/s3-stub-options.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const readme = read('../../README.md');

test('the first example of the README runs, and prints what it says', async () => {
  const example = read('./readme-example.ts');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
  await import('./readme-example.ts');
  expect(printed).toEqual([...example.matchAll(/console.*\/\/ (.+)/g)].map(([, output]) => output));
});

/** What stands in back quotes in the first column of the tables under a heading. */
function firstColumn(heading: string): readonly string[] {
  const [, rest = ''] = readme.split(`\n${heading}\n`);
  const [section = ''] = rest.split('\n## ')[0]?.split('\n### ') ?? [];
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)])
    .map(([, name = '']) => name);
}

test('the README has every option of S3, and no other', () => {
  const options = Object.keys(resolveS3StubOptions({}));
  expect(firstColumn('### S3 options').toSorted()).toEqual(options.toSorted());
});

test('the README has every operation of S3, and no other', () => {
  expect(firstColumn('### What is served of S3').toSorted()).toEqual(S3_OPERATIONS.toSorted());
});
