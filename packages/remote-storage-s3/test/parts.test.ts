import { crc32 } from 'node:zlib';
import { randomBelow, seededRandom } from '@logloft/clock';
import { seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { combineCrc32, crc32Text } from '../src/crc32-combine.ts';
import { decodedKey } from '../src/decoded-key.ts';
import { queryString } from '../src/http/query-string.ts';
import { parseContentRange } from '../src/read/content-range.ts';
import { UnsettledWrites } from '../src/upload/unsettled-writes.ts';
import { UploadSums } from '../src/upload/upload-sums.ts';

describe('checksums of parts', () => {
  test('put together are the checksum of the whole, however it is cut', () => {
    const random = seededRandom(1);
    for (let round = 0; round < 50; round += 1) {
      const bytes = Buffer.from(seededBytes(round, randomBelow(random, 200_000)));
      const cut = randomBelow(random, bytes.byteLength + 1);
      const [first, second] = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const combined = combineCrc32(crc32(first), crc32(second), second.byteLength);
      expect(combined, `seed ${round}`).toBe(crc32(bytes));
    }
  });

  test('of lengths beyond 2^32 bits hold, too', () => {
    // Nothing but zero bytes: their checksum can be had by doubling.
    const zeros = (power: number): number => {
      let crc = crc32(Buffer.alloc(1));
      for (let n = 0; n < power; n += 1) crc = combineCrc32(crc, crc, 2 ** n);
      return crc;
    };
    expect(zeros(20)).toBe(crc32(Buffer.alloc(2 ** 20)));
    const long = 2 ** 33;
    expect(combineCrc32(zeros(33), zeros(33), long)).toBe(zeros(34));
  });

  test('are computed in the order of the parts, not in that of their sending', () => {
    const bytes = Buffer.from(seededBytes(1, 1_000));
    const sums = new UploadSums();
    for (const [index, start] of [
      [2, 700],
      [0, 0],
      [1, 300],
    ] as const) {
      const end = [300, 700, 1_000][index] ?? 0;
      const part = bytes.subarray(start, end);
      const checksum = crc32(part);
      sums.of({ index, offset: start, bytes: part, checksum, isLast: index === 2 });
    }
    expect(sums.whole()).toBe(crc32(bytes));
    expect(sums.bytes).toBe(1_000);
  });

  test('are written as S3 writes them', () => {
    expect(crc32Text(crc32(Buffer.from('123456789')))).toBe('y/Q5Jg==');
    expect(crc32Text(0)).toBe('AAAAAA==');
  });
});

test('a query is escaped by RFC 3986, and ordered', () => {
  expect(queryString({ b: ['2', '1'], a: "!'()*~ /ü", uploads: null, 'x-id': '' })).toBe(
    'a=%21%27%28%29%2A~%20%2F%C3%BC&b=2&b=1&uploads&x-id=',
  );
  expect(queryString(undefined)).toBe('');
});

test.each([
  ['bytes 0-9/100', { start: 0, end: 9, total: 100 }],
  ['bytes 5-5/*', { start: 5, end: 5, total: undefined }],
  ['bytes 9-5/100', undefined],
  ['bytes */100', undefined],
  ['items 0-9/100', undefined],
  [`bytes 0-${'9'.repeat(20)}/*`, undefined],
  [`bytes 0-1/${'9'.repeat(20)}`, undefined],
  [undefined, undefined],
])('%s is read as a content range or refused', (header, expected) => {
  expect(parseContentRange(header)).toEqual(expected);
});

test.each([
  ['a%2Fb+c', 'url', 'a/b c'],
  ['a%2Fb+c', undefined, 'a%2Fb+c'],
  ['a%', 'url', 'a%'],
])('the key %s of a listing in the encoding %s is %s', (key, encoding, expected) => {
  expect(decodedKey(key, encoding)).toBe(expected);
});

test('writes whose outcome is unknown are kept for the latest thousand keys', () => {
  const unsettled = new UnsettledWrites();
  const write = (token: string): { token: string; bytes: number; crc: number } => ({
    token,
    bytes: 1,
    crc: 2,
  });
  for (let n = 0; n < 1_001; n += 1) unsettled.remember(`k/${n}`, write(`t${n}`));
  expect(unsettled.tokensOf('k/0', write('new'))).toEqual(['new']);
  expect(unsettled.tokensOf('k/1', write('new'))).toEqual(['new', 't1']);
  expect(unsettled.tokensOf('k/1', { ...write('new'), crc: 3 })).toEqual(['new']);
  unsettled.settle('k/1');
  expect(unsettled.tokensOf('k/1', write('new'))).toEqual(['new']);
});
