import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseCommandLine } from '../../src/command-line/parse-command-line.ts';
import type { ExitCode } from '../../src/exit-codes.ts';
import { quotaLab } from '../../src/quota-lab/run.ts';

interface Ran {
  readonly exitCode: ExitCode;
  readonly out: string;
  readonly err: string;
}

async function run(
  args: readonly string[],
  stop: AbortSignal = new AbortController().signal,
): Promise<Ran> {
  const command = parseCommandLine(['quota-lab', ...args]);
  if (command.kind !== 'quota-lab') throw new TypeError(`parsed as ${command.kind}`);
  const lines = { out: [] as string[], err: [] as string[] };
  const output = {
    out: (line: string) => void lines.out.push(line),
    err: (line: string) => void lines.err.push(line),
  };
  const exitCode = await quotaLab(command, { output, stop });
  return { exitCode, out: lines.out.join('\n'), err: lines.err.join('\n') };
}

it('prints the scenario, the policies side by side, their charts and what they make of the limit, the same each time', async () => {
  const args = ['--backlog', '200GiB', '--segment', '1GiB', '--limit', '50MiB/s', '--writers', '4'];
  const { exitCode, out } = await run(args);
  expect(exitCode).toBe(0);
  expect(out).toContain('A backlog of 200 GiB in segments of 1 GiB, 4 partitions.');
  // 200 GiB at 50 MiB/s are 4,096 s; four writers of 100 MiB/s need 512 s.
  expect(out).toMatch(/^none +8 min 32 s +400 MiB\/s/m);
  expect(out).toMatch(/^pace +1 h 08 min +50 MiB\/s/m);
  expect(out).toContain('In multiples of the limit, 50 MiB/s:');
  expect(out).toMatch(/^policy +mean +peak of 1 s +peak of 1 min 01 s +time to drain$/m);
  expect(out).toMatch(/^none +8\.00 +8\.00 +\d\.\d\d +0\.13$/m);
  expect(out).toMatch(/^pace +1\.00 +1\.0\d +1\.0\d +1\.00$/m);
  expect((await run(args)).out).toBe(out);
});

it('runs the chosen policies alone, and writes the image', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'logloft.lab-'));
  try {
    const svg = join(directory, 'lab.svg');
    const { out } = await run(['--policy', 'wait', '--svg', svg]);
    expect(out).not.toMatch(/^(none|abort|pace) /m);
    expect(out).toContain(`The image is ${svg}.`);
    const image = readFileSync(svg, 'utf8');
    expect(image.startsWith('<svg ')).toBe(true);
    expect(image.trimEnd().endsWith('</svg>')).toBe(true);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it('says as JSON what it says in words, and null where something never comes', async () => {
  const { out } = await run([
    '--json',
    '--limit',
    '10MiB',
    '--ingest',
    '20MiB',
    '--policy=abort,none',
  ]);
  const report: unknown = JSON.parse(out);
  expect(report).toMatchObject({
    event: 'quota-lab',
    scenario: { limitBytesPerSecond: 10_485_760, ingestBytesPerSecond: 20_971_520, windowNum: 61 },
    windowMs: 61_000,
    results: [
      { policy: 'abort', drainedAtMs: null, againstTheLimit: { drainTime: null } },
      { policy: 'none', drainedAtMs: expect.any(Number), points: expect.any(Array) },
    ],
  });
  expect(out).not.toContain('Infinity');
});

it('refuses more segments than it can simulate while somebody waits', async () => {
  await expect(run(['--backlog', '1TiB', '--segment', '64KiB'])).rejects.toThrow(
    '1 TiB in segments of 64 KiB are more than 500000 segments. Raise --segment',
  );
});

it('ends with 130 when it is stopped', async () => {
  const { exitCode, out, err } = await run([], AbortSignal.abort());
  expect([exitCode, out, err]).toEqual([130, '', 'logloft: the simulation was interrupted']);
});

it('watches a slow limit for longer than a day', async () => {
  const { out } = await run(['--backlog', '100GiB', '--limit', '1MiB', '--policy', 'pace']);
  expect(out).toMatch(/^pace +1 d 04 h/m);
});
