import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test("the suites run under Node's own test runner as they are", async () => {
  const suite = fileURLToPath(new URL('./fixtures/node-test-suite.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--experimental-strip-types',
    '--conditions=@logloft/source',
    '--test-reporter=tap',
    '--test',
    suite,
  ]);
  const count = (what: string): number =>
    Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1]);
  expect(count('pass')).toBeGreaterThan(60);
  expect(count('fail')).toBe(0);
  const summary = (name: string): readonly number[] => {
    const line = new RegExp(`${name}: (\\d+) cases, (\\d+) proved, (\\d+) skipped$`, 'm').exec(
      stdout,
    );
    return line?.slice(1).map(Number) ?? [];
  };
  const [cases, proved, skipped] = ['ReferenceObjectStore', 'ReferenceManager']
    .map(summary)
    .reduce(([a = 0, b = 0, c = 0], [x = 0, y = 0, z = 0]) => [a + x, b + y, c + z]);
  expect(proved).toBe(count('pass'));
  expect(skipped).toBe(count('skipped'));
  expect(cases).toBe(count('pass') + count('skipped'));
});
