import { expect, it } from 'vitest';
import { parseCommandLine } from '../../src/command-line/parse-command-line.ts';
import { UsageError } from '../../src/command-line/usage-error.ts';
import type { QuotaLabCommand } from '../../src/quota-lab/quota-lab-command.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

function lab(...args: string[]): QuotaLabCommand {
  const command = parseCommandLine(['quota-lab', ...args]);
  if (command.kind !== 'quota-lab') throw new TypeError(`parsed as ${command.kind}`);
  return command;
}

it("compares all policies with Kafka's defaults when nothing else is said", () => {
  expect(lab()).toEqual({
    kind: 'quota-lab',
    backlogBytes: 10 * GIB,
    limitBytesPerSecond: 50 * MIB,
    ingestBytesPerSecond: 0,
    segmentBytes: GIB,
    writers: 10,
    windowNum: 61,
    windowSeconds: 1,
    policies: ['none', 'abort', 'wait', 'pace'],
    svgFile: undefined,
    json: false,
  });
});

it('takes every flag', () => {
  expect(
    lab(
      ...['--backlog', '2TiB', '--limit', '1.5MiB/s', '--ingest=10m', '--segment', '64MiB'],
      ...['--writers', '4', '--window-num', '11', '--window-seconds', '2', '--policy=pace'],
      ...['--svg', 'lab.svg', '--json'],
    ),
  ).toEqual({
    kind: 'quota-lab',
    backlogBytes: 2048 * GIB,
    limitBytesPerSecond: 1_572_864,
    ingestBytesPerSecond: 10 * MIB,
    segmentBytes: 64 * MIB,
    writers: 4,
    windowNum: 11,
    windowSeconds: 2,
    policies: ['pace'],
    svgFile: 'lab.svg',
    json: true,
  });
});

it('takes rates with and without "/s", an ingest of nothing, and several policies', () => {
  expect(lab('--limit', '50MiB').limitBytesPerSecond).toBe(50 * MIB);
  expect(lab('--limit', '50 MiB / S').limitBytesPerSecond).toBe(50 * MIB);
  expect(lab('--ingest', '0').ingestBytesPerSecond).toBe(0);
  expect(lab('--policy', 'pace, abort').policies).toEqual(['pace', 'abort']);
  expect(lab('--policy', 'all').policies).toEqual(lab().policies);
});

it.each([
  [['--limit', '0'], '--limit needs a rate such as 50MiB/s, got "0"'],
  [['--limit', '50MiB/h'], '--limit needs a rate such as 50MiB/s, got "50MiB/h"'],
  [['--ingest', 'some'], '--ingest needs a rate'],
  [['--backlog', '10GiB/s'], '--backlog needs a size such as 512MiB'],
  [['--segment', '0'], '--segment needs a size'],
  [['--writers', '0'], '--writers needs an integer from 1 to 100, got "0"'],
  [['--writers', '1e3'], '--writers needs an integer'],
  [['--window-num', '61.5'], '--window-num needs an integer from 1 to 10000'],
  [['--window-seconds', '86401'], '--window-seconds needs an integer from 1 to 86400'],
  [['--policy', 'hurry'], '--policy needs none, abort, wait, pace'],
  [['--policy', 'all,pace'], '--policy needs none'],
  [['--port', '1'], '--port is a flag of logloft start, not of quota-lab'],
])('refuses %j', (args, message) => {
  expect(() => lab(...args)).toThrow(UsageError);
  expect(() => lab(...args)).toThrow(message);
});

it('refuses its flags to the other commands', () => {
  expect(() => parseCommandLine(['--backlog', '1GiB'])).toThrow(
    '--backlog is a flag of logloft quota-lab, not of start',
  );
});
