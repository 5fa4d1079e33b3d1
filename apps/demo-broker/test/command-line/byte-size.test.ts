import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseByteSize, printByteSize } from '../../src/command-line/byte-size.ts';

it('reads what it is told in binary and decimal units, in any case', () => {
  expect(parseByteSize('1', '--size')).toBe(1);
  expect(parseByteSize('2 KiB', '--size')).toBe(2048);
  expect(parseByteSize('2kb', '--size')).toBe(2000);
  expect(parseByteSize('3m', '--size')).toBe(3 * 1024 ** 2);
  expect(parseByteSize('1GB', '--size')).toBe(1e9);
  expect(parseByteSize('2TiB', '--size')).toBe(2 * 1024 ** 4);
});

it('refuses everything that is no size', () => {
  for (const text of ['', 'm', '-1', '1 PiB', '1e3', '0x10', '9999999999 GiB', '0']) {
    expect(() => parseByteSize(text, '--size'), text).toThrow('--size needs a size such as 512MiB');
  }
});

it('prints sizes that it reads back within the digits shown', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (bytes) => {
      const again = parseByteSize(printByteSize(bytes), '--size');
      expect(Math.abs(again - bytes)).toBeLessThanOrEqual(bytes * 0.06);
    }),
  );
});
