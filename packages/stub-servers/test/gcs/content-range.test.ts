import { describe, expect, test } from 'vitest';
import { readUploadRange } from '../../src/gcs/content-range.ts';
import { GcsError } from '../../src/gcs/gcs-error.ts';

describe('the Content-Range of an upload', () => {
  test.each([
    [undefined, { kind: 'bytes', start: 0, end: undefined, total: undefined }],
    ['bytes 0-*/*', { kind: 'bytes', start: 0, end: undefined, total: undefined }],
    ['bytes 0-*/10', { kind: 'bytes', start: 0, end: undefined, total: 10 }],
    ['bytes 262144-524287/*', { kind: 'bytes', start: 262144, end: 524287, total: undefined }],
    ['bytes 524288-614399/614400', { kind: 'bytes', start: 524288, end: 614399, total: 614400 }],
    ['bytes 0--1/0', { kind: 'bytes', start: 0, end: -1, total: 0 }],
    ['bytes */*', { kind: 'query', total: undefined }],
    ['bytes */7', { kind: 'query', total: 7 }],
  ])('%s is read', (header, expected) => {
    expect(readUploadRange(header)).toEqual(expected);
  });

  test.each([
    '',
    'bytes',
    'bytes=0-1/2',
    'bytes 0-1',
    'bytes 5-3/9',
    'bytes 3--1/9',
    'bytes 0-9/9',
    'bytes 9-*/8',
    'bytes -1-2/9',
    'bytes 0-99999999999999999999/*',
    'bytes 0x1-2/9',
  ])('%j is refused', (header) => {
    expect(() => readUploadRange(header)).toThrow(GcsError);
  });
});
