import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const FLAGS = ['--conditions=@logloft/source', '--experimental-strip-types', '--no-warnings'];
const program = fileURLToPath(new URL('./support/waits-and-ends.ts', import.meta.url));
const run = promisify(execFile);

// The waits last a minute; a process that anything kept alive would be killed before.
const options = { timeout: 30_000 };

test('waiters with deadlines and signals do not keep the process alive', async () => {
  const { stdout } = await run(process.execPath, [...FLAGS, program], options);
  expect(stdout).toBe('101 waiting\n');
});

test('after close nobody waits, and the process ends', async () => {
  const { stdout } = await run(process.execPath, [...FLAGS, program, 'close'], options);
  expect(stdout).toBe('0 waiting\n');
});
