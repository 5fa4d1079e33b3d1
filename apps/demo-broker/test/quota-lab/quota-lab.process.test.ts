import { expect, it } from 'vitest';
import { LogloftProcess } from '../logloft-process.ts';

it('runs as a command, prints the same each time, and writes nothing', async () => {
  const args = ['quota-lab', '--backlog', '20GiB', '--limit', '50MiB/s', '--writers', '4'];
  await using first = new LogloftProcess(args);
  const { code, stdout, stderr } = await first.ended();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^pace +6 min 50 s +50 MiB\/s/m);
  await using second = new LogloftProcess(args);
  expect((await second.ended()).stdout).toBe(stdout);
});

it('tells what is wrong in one line, with 2', async () => {
  await using logloft = new LogloftProcess(['quota-lab', '--limit', 'fast']);
  const { code, stdout, stderr } = await logloft.ended();
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe('logloft: --limit needs a rate such as 50MiB/s, got "fast".\n');
});
