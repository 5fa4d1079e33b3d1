import { expect, test } from 'vitest';
import { lz4Codec } from '../../src/compression/lz4.ts';
import { snappyCodec } from '../../src/compression/snappy.ts';
import { COMPRESSION, codecOf, UnsupportedCompressionError } from '../../src/index.ts';

const TEXT = Buffer.from('the same again and again and again and again');

test.each([
  ['snappy', snappyCodec, 'snappy'],
  ['lz4', lz4Codec, 'lz4-napi'],
] as const)(
  'without its package, %s is read all the same, and not written',
  (name, make, needs) => {
    const asked: string[] = [];
    const codec = make((packageName) => {
      asked.push(packageName);
      return undefined;
    });
    const written = codecOf(COMPRESSION[name]).compress(TEXT);
    expect(codec.decompress(written, 100).equals(TEXT)).toBe(true);
    expect(asked).toEqual([]);

    expect(codec.canCompress()).toBe(false);
    for (const act of [() => codec.compress(TEXT), () => codec.assertCanCompress()]) {
      expect(act).toThrow(UnsupportedCompressionError);
      expect(act).toThrow(
        expect.objectContaining({
          code: 'LOGLOFT_UNSUPPORTED_COMPRESSION',
          compressionId: COMPRESSION[name],
          message: expect.stringContaining(`"${needs}"`),
        }),
      );
    }
    // It was looked for once.
    expect(asked).toEqual([needs]);
  },
);

test('a package that exports something else is as good as none', () => {
  expect(lz4Codec(() => ({ compressFrameSync: 'not a function' })).canCompress()).toBe(false);
  expect(snappyCodec(() => ({})).canCompress()).toBe(false);
});
