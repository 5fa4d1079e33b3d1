import { expect, test } from 'vitest';
import { textTable } from '../../src/harness/text-table.ts';

test('the first column stands to the left, the others to the right, as wide as their widest cell', () => {
  expect(
    textTable([
      ['', 'ns', 'kept'],
      ['ours', '1', '0.1 MB'],
      ['another', '1000'],
    ]),
  ).toEqual(['           ns    kept', 'ours        1  0.1 MB', 'another  1000']);
});

test('nothing is no lines', () => {
  expect(textTable([])).toEqual([]);
});
