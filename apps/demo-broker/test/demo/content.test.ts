import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ContentDigest, combinedHex } from '../../src/demo/content-digest.ts';
import { piecesOf } from '../../src/demo/record-pieces.ts';

it('cuts files into lines that make up the file again, none above 16 KiB', () => {
  const texts = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('\n', 'a', 'line\n', 'é', 'x'.repeat(20_000)))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = Buffer.from(text);
      const pieces = [...piecesOf(bytes)];
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      for (const piece of pieces) {
        expect(piece.byteLength).toBeGreaterThan(0);
        expect(piece.byteLength).toBeLessThanOrEqual(16 * 1024);
        expect(piece.subarray(0, -1).includes(0x0a)).toBe(false);
      }
    }),
  );
});

it('agrees on a file whole and in pieces, and on nothing else', () => {
  const whole = new ContentDigest();
  whole.begin('a');
  whole.add(Buffer.from('one\ntwo\n'));
  const pieces = new ContentDigest();
  pieces.begin('a');
  pieces.add(Buffer.from('one\n'));
  expect(pieces.hex()).not.toBe(whole.hex());
  pieces.add(Buffer.from('two\n'));
  expect(pieces.hex()).toBe(whole.hex());
  const swapped = new ContentDigest();
  swapped.begin('a');
  swapped.add(Buffer.from('two\none\n'));
  expect(swapped.hex()).not.toBe(whole.hex());
  const renamed = new ContentDigest();
  renamed.begin('b');
  renamed.add(Buffer.from('one\ntwo\n'));
  expect(renamed.hex()).not.toBe(whole.hex());
  expect(combinedHex([whole, renamed])).not.toBe(combinedHex([renamed, whole]));
});
