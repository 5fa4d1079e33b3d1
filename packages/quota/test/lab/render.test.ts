import { ByteLimit } from '@logloft/quota';
import {
  formatBytes,
  formatDuration,
  formatRate,
  type LabReport,
  renderSvg,
  renderTerminal,
  simulateQuota,
} from '@logloft/quota/lab';
import { beforeAll, describe, expect, test } from 'vitest';

let report: LabReport;

beforeAll(async () => {
  report = await simulateQuota({
    backlogBytes: 10_000,
    segmentBytes: 500,
    limit: ByteLimit.of(5),
    writers: 2,
    uploadBytesPerSecond: 100,
    ingestBytesPerSecond: 1,
    limitChanges: [{ atMs: 60_000, limit: ByteLimit.of(50) }],
  });
});

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1 KiB'],
  [52_428_800, '50 MiB'],
  [1_048_575.9, '1 MiB'],
  [3 * 2 ** 29, '1.5 GiB'],
  [2 ** 62, '4096 PiB'],
])('%d bytes are printed as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [400, '0 s'],
  [59_400, '59 s'],
  [61_000, '1 min 01 s'],
  [600_000, '10 min'],
  [4_096_000, '1 h 08 min'],
  [90_000_000, '1 d 01 h'],
])('%d ms are printed as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('a rate beyond all is unlimited', () => {
  expect([formatRate(2 ** 63), formatRate(1_536)]).toEqual(['unlimited', '1.5 KiB/s']);
});

describe('the report as text', () => {
  test('tells the scenario, compares the policies, and warns of a limit no window can hold', () => {
    const text = renderTerminal(report);
    expect(text).toContain(
      'A backlog of 9.8 KiB in segments of 500 B, 2 partitions, and 1 B/s more',
    );
    expect(text).toContain(
      'The limit: 5 B/s, 50 B/s after 1 min for all writers, in a window of 1 min 01 s',
    );
    expect(text).toMatch(
      /policy +drained after +average +most in 1 s +most in 1 min 01 s +runs given up/,
    );
    expect(text).toMatch(
      /Note: a window can hold no less than a segment in its time, here 8.2 B\/s/,
    );
    for (const policy of ['none', 'abort', 'wait', 'pace']) {
      expect(text).toMatch(new RegExp(`^${policy} +[0-9]`, 'm'));
      expect(text).toMatch(new RegExp(`^${policy}: `, 'm'));
    }
  });

  test('has charts of the width and height asked for, with the line of the limit', () => {
    const lines = renderTerminal(report, { width: 30, height: 4 }).split('\n');
    const axes = lines.filter((line) => line.includes('└'));
    expect(axes.map((line) => line.length)).toEqual([44, 44, 44, 44]);
    expect(lines.filter((line) => line.includes('┤'))).toHaveLength(16);
    expect(Math.max(...lines.filter((line) => line.includes('┤')).map((line) => line.length))).toBe(
      44,
    );
    expect(lines.some((line) => line.includes('┄'))).toBe(true);
    expect(lines.every((line) => line === line.trimEnd())).toBe(true);
  });
});

test('the report as SVG is well-formed, and has an area, a limit and a backlog for each policy', () => {
  const svg = renderSvg(report, { width: 600, chartHeight: 80 });
  const open: string[] = [];
  for (const [, slash, name = '', end] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (slash === '/') expect(open.pop()).toBe(name);
    else if (end !== '/') open.push(name);
  }
  expect(open).toEqual([]);
  const count = (text: string): number => svg.split(text).length - 1;
  expect([count('class="rate"'), count('class="limit"'), count('class="backlog"')]).toEqual([
    4, 3, 4,
  ]);
  expect(svg).toContain('viewBox="0 0 600 ');
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
});
