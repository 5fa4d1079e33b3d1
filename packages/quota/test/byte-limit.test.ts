import { ByteLimit, heldByteRate, InvalidQuotaOptionError } from '@logloft/quota';
import { describe, expect, test } from 'vitest';

describe('a byte limit', () => {
  test.each([
    ['0', 0],
    ['1', 1],
    ['1048576', 1_048_576],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9223372036854775806', 2 ** 63],
    ['9223372036854775807', 2 ** 63],
  ])('of %s prints to the last digit what it was read from', (text, bytesPerSecond) => {
    const limit = ByteLimit.parse(text);
    expect(limit.toString()).toBe(text);
    expect(limit.bytesPerSecond).toBe(bytesPerSecond);
  });

  test('is unlimited at the greatest long of Kafka and only there', () => {
    expect(ByteLimit.parse('9223372036854775807').isUnlimited).toBe(true);
    expect(ByteLimit.parse('9223372036854775806').isUnlimited).toBe(false);
    expect(ByteLimit.of(Number.POSITIVE_INFINITY)).toBe(ByteLimit.unlimited);
    expect(String(ByteLimit.unlimited)).toBe('9223372036854775807');
  });

  test('is read as Java reads a long: space around, a plus and leading zeros are fine', () => {
    expect(ByteLimit.parse('  +000123 ').equals(ByteLimit.of(123))).toBe(true);
    expect(ByteLimit.parse('000').equals(ByteLimit.of(-0))).toBe(true);
    expect(ByteLimit.of(1).equals(ByteLimit.of(2))).toBe(false);
  });

  test.each([
    '',
    ' ',
    '-1',
    '1.5',
    '1e6',
    '0x10',
    '9223372036854775808',
    '99999999999999999999',
    'ten',
  ])('is not read from %j', (text) => {
    expect(() => ByteLimit.parse(text)).toThrow(InvalidQuotaOptionError);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53, Number.NEGATIVE_INFINITY])(
    'is not made of %d',
    (wrong) => {
      expect(() => ByteLimit.of(wrong)).toThrow(InvalidQuotaOptionError);
    },
  );
});

test('a window holds no less than one segment in its whole length', () => {
  const window = { segmentBytes: 1_073_741_824, samples: 11, windowSeconds: 1 };
  expect(Math.round(heldByteRate({ ...window, limit: 10_000_000 }))).toBe(97_612_893);
  expect(heldByteRate({ ...window, limit: 200_000_000 })).toBe(200_000_000);
  expect(Math.round(heldByteRate({ ...window, samples: 61, limit: 10_000_000 }))).toBe(17_602_325);
});
