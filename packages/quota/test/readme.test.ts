import { readFileSync } from 'node:fs';
import { ManualClock } from '@logloft/clock';
import { ByteLimit, WindowedQuota } from '@logloft/quota';
import { renderTerminal, simulateQuota } from '@logloft/quota/lab';
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

/** The text block that follows `words`. */
function blockAfter(words: string): string {
  const [, block = ''] = /```text\n([\s\S]*?)```/.exec(readme.slice(readme.indexOf(words))) ?? [];
  return block;
}

test('the graph of the window in the README is what a quota does', () => {
  const clock = new ManualClock();
  const quota = new WindowedQuota({ clock, limit: 50, samples: 11, windowSeconds: 1 });
  quota.record(500);
  const lines = [0, 1, 2, 3, 5, 7, 9, 10, 11].map((second) => {
    clock.advance(second * 1_000 - clock.monotonic());
    const rate = quota.byteRate;
    const time = `${String(second).padStart(2)} s ${rate.toFixed(0).padStart(4)} B/s`;
    const passes = quota.isExceeded() ? 'no ' : 'yes';
    return `${time}  ${passes}  ${'█'.repeat(Math.round(rate / 10))}`.trimEnd();
  });
  expect(blockAfter('This is the rule of the window')).toBe(`${lines.join('\n')}\n`);
});

test('the lab prints what the README says, from the scenario in it', async () => {
  const report = await simulateQuota({
    backlogBytes: 200 * 2 ** 30,
    segmentBytes: 2 ** 30,
    limit: ByteLimit.of(50 * 2 ** 20),
    writers: 4,
  });
  expect(blockAfter('It prints, in a second')).toBe(
    renderTerminal(report, { width: 50, height: 4 }),
  );
}, 30_000);

test('the README has every error code, and no other', () => {
  const codes = (text: string): Set<string> =>
    new Set([...text.matchAll(/LOGLOFT_QUOTA_[A-Z_]+/g)].map(([code]) => code));
  expect(codes(readme)).toEqual(codes(read('../src/errors.ts')));
});
