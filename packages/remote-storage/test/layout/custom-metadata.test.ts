import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCustomMetadata, encodeCustomMetadata } from '../../src/layout/custom-metadata.ts';

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');

test('the fields are written as tagged fields, as Aiven does', () => {
  expect(hex(encodeCustomMetadata({ remoteSize: 100, objectKey: 'foo' }))).toBe(
    '020002c801020404666f6f',
  );
  expect(encodeCustomMetadata({})).toBeUndefined();
});

test('whatever was written is read back', () => {
  const field = fc.option(fc.string({ unit: 'grapheme', maxLength: 300 }), { nil: undefined });
  const size = fc.option(fc.nat({ max: 2 ** 52 - 1 }), { nil: undefined });
  fc.assert(
    fc.property(size, field, field, (remoteSize, objectPrefix, objectKey) => {
      const bytes = encodeCustomMetadata({ remoteSize, objectPrefix, objectKey });
      const read = bytes === undefined ? {} : decodeCustomMetadata(bytes);
      expect({
        remoteSize: undefined,
        objectPrefix: undefined,
        objectKey: undefined,
        ...read,
      }).toEqual({
        remoteSize,
        objectPrefix,
        objectKey,
      });
    }),
  );
});

test('an unknown tag is skipped', () => {
  expect(decodeCustomMetadata(Uint8Array.of(2, 0, 1, 10, 9, 2, 7, 7))).toEqual({ remoteSize: 5 });
});

test.each([[[]], [[1]], [[1, 0, 5, 1]], [[1, 1, 2, 9, 65]], [[1, 1, 1, 0]], [Array(12).fill(255)]])(
  'the damaged bytes %j are corrupt, never more',
  (damaged) => {
    expect(() => decodeCustomMetadata(Uint8Array.from(damaged))).toThrow(
      expect.objectContaining({ kind: 'corrupt' }),
    );
  },
);

test('any bytes are either read or corrupt', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        decodeCustomMetadata(bytes);
      } catch (error) {
        expect(error).toMatchObject({ kind: 'corrupt' });
      }
    }),
  );
});
