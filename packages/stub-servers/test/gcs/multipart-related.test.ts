import { randomBelow, seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { GcsError } from '../../src/gcs/gcs-error.ts';
import { splitRelated } from '../../src/gcs/multipart-related.ts';
import { StoredBytes } from '../../src/storage/stored-bytes.ts';

const TYPE = 'multipart/related; boundary=frontier';

function bodyOf(content: Uint8Array, { document = '{}', type = 'text/plain' } = {}): Buffer {
  return Buffer.concat([
    Buffer.from(`--frontier\r\nContent-Type: application/json\r\n\r\n${document}\r\n`),
    Buffer.from(`--frontier\r\nContent-Type: ${type}\r\n\r\n`),
    content,
    Buffer.from('\r\n--frontier--'),
  ]);
}

function whole(body: Uint8Array | string): StoredBytes {
  return new StoredBytes([Buffer.from(body)]);
}

function refusal(contentType: string | undefined, body: Uint8Array | string): string {
  try {
    splitRelated(contentType, whole(body));
  } catch (error) {
    if (error instanceof GcsError) return `${error.status} ${error.message}`;
    throw error;
  }
  return 'taken';
}

describe('a multipart body', () => {
  test('comes apart the same in whatever pieces it arrives', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const random = seededRandom(seed);
      // Contents made of the boundary's own characters hit every seam.
      const content = Buffer.from(
        Array.from(
          { length: randomBelow(random, 60) },
          () => '\r\n-frontie'[randomBelow(random, 11)],
        ).join(''),
      );
      const body = bodyOf(content, { document: '{"a":"é"}', type: 'x/y' });
      const pieces: Buffer[] = [];
      for (let at = 0; at < body.length; ) {
        const length = 1 + randomBelow(random, seed % 2 === 0 ? 3 : 40);
        pieces.push(body.subarray(at, at + length));
        at += length;
      }
      const parts = splitRelated(TYPE, new StoredBytes(pieces));
      expect(parts.content.toBuffer(), `seed ${seed}`).toEqual(content);
      expect(parts).toMatchObject({ document: '{"a":"é"}', contentType: 'x/y' });
    }
  });

  test('may have a preamble, a quoted boundary, and parts without headers', () => {
    const body = 'preamble\r\n--a b\r\n\r\n{}\r\n--a b  \r\n\r\nhi\r\n--a b--\r\nepilogue';
    const parts = splitRelated('multipart/related; charset=x; boundary="a b"', whole(body));
    expect(parts.content.toBuffer().toString()).toBe('hi');
    expect(parts.contentType).toBeUndefined();
  });

  test.each([
    ['no boundary in the type', 'multipart/related', bodyOf(Buffer.from('x'))],
    ['no type', undefined, bodyOf(Buffer.from('x'))],
    ['another boundary', 'multipart/related; boundary=other', bodyOf(Buffer.from('x'))],
    ['an absurd boundary', `multipart/related; boundary=${'x'.repeat(71)}`, 'x'],
    ['no bytes', TYPE, ''],
    ['an end within the content', TYPE, bodyOf(Buffer.from('x')).subarray(0, -4)],
    ['an end within the headers', TYPE, '--frontier\r\nContent-Type: a/b'],
    ['one part', TYPE, '--frontier\r\n\r\n{}\r\n--frontier--'],
    ['three parts', TYPE, bodyOf(Buffer.from('x\r\n--frontier\r\n\r\ny'))],
    ['headers without end', TYPE, `--frontier\r\n${'a: b\r\n'.repeat(2000)}\r\n{}\r\n--frontier--`],
    [
      'a document above 1 MiB',
      TYPE,
      bodyOf(Buffer.from(''), { document: ' '.repeat(2 ** 20 + 1) }),
    ],
  ])('with %s is refused', (_, type, body) => {
    expect(refusal(type, body)).toMatch(/^400 Malformed multipart body: /);
  });

  test('in another transfer encoding is refused, not stored as it is', () => {
    const body = bodyOf(Buffer.from('aGk='), { type: 'a/b\r\nContent-Transfer-Encoding: base64' });
    expect(refusal(TYPE, body)).toMatch(/^501 /);
  });
});
