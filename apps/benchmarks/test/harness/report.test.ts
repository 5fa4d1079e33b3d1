import { expect, test } from 'vitest';
import { formatReport, reachesAim } from '../../src/harness/report.ts';

const row = { what: 'produce', ours: '500 MB/s', peer: '1000 MB/s', ratio: 0.5, target: 0.55 };

test('a ratio below its aim is called missed, one at its aim ok', () => {
  expect(formatReport({ title: 'T', rows: [row] })).toContain('0.50   >= 0.55  missed');
  expect(formatReport({ title: 'T', rows: [{ ...row, ratio: 0.55 }] })).toContain('ok');
});

test('a line without an aim cannot miss it, and one that was not measured does', () => {
  expect(reachesAim({ ...row, ratio: 0, target: undefined })).toBe(true);
  expect(reachesAim({ ...row, ratio: Number.NaN })).toBe(false);
});

test('columns begin at the same place in every line', () => {
  const text = formatReport({ title: 'T', rows: [row, { ...row, what: 'a much longer name' }] });
  const lines = text.split('\n').filter((line) => line.includes('MB/s'));
  expect(new Set(lines.map((line) => line.indexOf('500 MB/s'))).size).toBe(1);
});
