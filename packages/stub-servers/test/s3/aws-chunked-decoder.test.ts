import { randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import type { ChunkSigning } from '../../src/s3/authenticate.ts';
import { AwsChunkedDecoder } from '../../src/s3/aws-chunked-decoder.ts';
import { S3Error } from '../../src/s3/s3-error.ts';
import { sha256Hex, signChunk, signingKey, signTrailers } from '../../src/s3/signature-v4.ts';

const SEED = 31;

function decode(
  pieces: readonly Buffer[],
  signing?: ChunkSigning,
): { readonly content: string; readonly trailers: ReadonlyMap<string, string> } {
  const content: Buffer[] = [];
  const decoder = new AwsChunkedDecoder((bytes) => content.push(Buffer.from(bytes)), signing);
  for (const piece of pieces) decoder.push(piece);
  const trailers = decoder.end();
  return { content: Buffer.concat(content).toString('latin1'), trailers };
}

function codeOf(pieces: readonly Buffer[], signing?: ChunkSigning): string {
  try {
    decode(pieces, signing);
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
  return 'decoded';
}

test(`however a body is cut into pieces, its content and trailers are the same (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  for (let turn = 0; turn < 200; turn += 1) {
    const chunks = Array.from({ length: randomBelow(random, 6) }, () =>
      Buffer.from(random.fill(new Uint8Array(randomBelow(random, 300) + 1))),
    );
    const frames = chunks.map((chunk) =>
      Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    );
    const body = Buffer.concat([...frames, Buffer.from('0\r\nX-Amz-Sum: abc=\r\n\r\n')]);
    const pieces: Buffer[] = [];
    for (let at = 0; at < body.length; ) {
      const size = randomBelow(random, 40) + 1;
      pieces.push(body.subarray(at, at + size));
      at += size;
    }
    const { content, trailers } = decode(pieces);
    expect(content).toBe(Buffer.concat(chunks).toString('latin1'));
    expect([...trailers]).toEqual([['x-amz-sum', 'abc=']]);
    // Any proper prefix is not a whole body.
    expect(codeOf([body.subarray(0, randomBelow(random, body.length))])).toBe('IncompleteBody');
  }
});

const SIGNING: ChunkSigning = {
  key: signingKey('secret', '20260101/us-east-1/s3/aws4_request'),
  time: '20260101T000000Z',
  scope: '20260101/us-east-1/s3/aws4_request',
  seedSignature: 'f'.repeat(64),
};

function signedBody(texts: readonly string[], trailers: readonly string[]): string {
  let previousSignature = SIGNING.seedSignature;
  let body = '';
  for (const text of [...texts, '']) {
    const chunk = { previousSignature, sha256: sha256Hex(text) };
    previousSignature = signChunk(SIGNING.key, SIGNING, chunk);
    body += `${text.length.toString(16)};chunk-signature=${previousSignature}\r\n`;
    if (text !== '') body += `${text}\r\n`;
  }
  if (trailers.length === 0) return `${body}\r\n`;
  const sha256 = sha256Hex(trailers.map((trailer) => `${trailer}\n`).join(''));
  const signature = signTrailers(SIGNING.key, SIGNING, { previousSignature, sha256 });
  return `${body}${trailers.join('\r\n')}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`;
}

test('signed chunks and trailers are checked one by one', () => {
  const plain = signedBody(['hello ', 'world'], []);
  expect(decode([Buffer.from(plain)], SIGNING).content).toBe('hello world');
  const trailed = signedBody(['hello'], ['x-amz-checksum-crc32:NhCmhg==']);
  expect(decode([Buffer.from(trailed)], SIGNING).trailers.get('x-amz-checksum-crc32')).toBe(
    'NhCmhg==',
  );
  for (const spoilt of [
    plain.replace('hello ', 'jello '),
    plain.replace('world', 'wOrld'),
    plain.replace(/chunk-signature=(.)/, (_, digit) => `chunk-signature=${digit === '0' ? 1 : 0}`),
    plain.replace(/;chunk-signature=[\da-f]+/, ''),
    trailed.replace('NhCmhg', 'AhCmhg'),
    trailed.replace(/x-amz-trailer-signature:\S+\r\n/, ''),
  ]) {
    expect(codeOf([Buffer.from(spoilt)], SIGNING)).toBe('SignatureDoesNotMatch');
  }
});

test.each([
  ['no size', '\r\n'],
  ['a negative size', '-1\r\n'],
  ['a size with a sign', '+5\r\nhello\r\n0\r\n\r\n'],
  ['a size beyond counting', `${'f'.repeat(14)}\r\n`],
  ['an unknown extension', '5;x=y\r\nhello\r\n0\r\n\r\n'],
  ['a chunk longer than its size', '4\r\nhello\r\n0\r\n\r\n'],
  ['bytes behind the end', '0\r\n\r\nx'],
  ['an endless line', '1'.repeat(5_000)],
])('%s is malformed', (_name, text) => {
  expect(codeOf([Buffer.from(text)])).toBe('IncompleteBody');
});

test('trailers are bounded', () => {
  expect(codeOf([Buffer.from(`0\r\n${'a:b\r\n'.repeat(3)}\r\n`)])).toBe('decoded');
  const many = Array.from({ length: 17 }, (_, index) => `t${index}:v\r\n`).join('');
  expect(codeOf([Buffer.from(`0\r\n${many}\r\n`)])).toBe('MalformedTrailerError');
});
