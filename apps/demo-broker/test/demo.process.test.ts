import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LogloftProcess } from './logloft-process.ts';

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'logloft.input-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

it('ends with what it did, measured, and leaves nothing behind', async () => {
  await using logloft = new LogloftProcess(['demo', '--size', '4MiB']);
  const { code, stdout, stderr } = await logloft.ended();
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n').at(-1)).toMatch(
    /^demo ok: \d+ records, \d+ segments tiered, \d+ bytes read from the remote store, sha256 match$/,
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/raises it to 4194304 on node 0, live/);
  expect(stdout).toMatch(/limit 512\.0 KiB\/s, measured \d/);
  expect(readdirSync(logloft.temporary)).toEqual([]);
});

it('refuses to start when it would have nothing to show', async () => {
  const input = join(directory, 'small.txt');
  writeFileSync(input, 'one line\n');
  await using logloft = new LogloftProcess(['demo', '--input', input]);
  const { code, stdout, stderr } = await logloft.ended();
  expect(code).toBe(2);
  expect(stderr).toContain('The demo needs at least 1.0 MiB to fill segments, got 9 B.');
  expect(stdout).not.toContain('demo ok');
});

it('ends cleanly at Ctrl-C, with 130', async () => {
  await using logloft = new LogloftProcess(['demo']);
  while (!(await logloft.line()).startsWith('1.')) {
    // Until the producer is at work.
  }
  logloft.child.kill('SIGINT');
  const { code, stdout, stderr } = await logloft.ended();
  expect(stderr.trim()).toBe('logloft: the demo was interrupted');
  expect(code).toBe(130);
  expect(stdout).not.toContain('demo ok');
  expect(readdirSync(logloft.temporary)).toEqual([]);
});
