import { expect, test } from 'vitest';
import {
  canonicalRequest,
  encodeRfc3986,
  sameSignature,
  sha256Hex,
  signChunk,
  signingKey,
  signRequest,
} from '../../src/s3/signature-v4.ts';

// The worked examples of AWS's documentation of Signature Version 4 for S3.
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const SCOPE = {
  time: '20130524T000000Z',
  scope: '20130524/us-east-1/s3/aws4_request',
};
const KEY = signingKey(SECRET, SCOPE.scope);
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

test('a GET with a range', () => {
  const canonical = canonicalRequest({
    method: 'GET',
    path: '/test.txt',
    query: [],
    headers: new Map([
      ['host', 'examplebucket.s3.amazonaws.com'],
      ['range', 'bytes=0-9'],
      ['x-amz-content-sha256', EMPTY],
      ['x-amz-date', SCOPE.time],
    ]),
    signedHeaders: ['host', 'range', 'x-amz-content-sha256', 'x-amz-date'],
    payloadHash: EMPTY,
  });
  expect(sha256Hex(canonical)).toBe(
    '7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972',
  );
  expect(signRequest(KEY, SCOPE, canonical)).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('a PUT of a key with a dollar sign', () => {
  const sha256 = sha256Hex('Welcome to Amazon S3.');
  const canonical = canonicalRequest({
    method: 'PUT',
    path: '/test$file.text',
    query: [],
    headers: new Map([
      ['date', 'Fri, 24 May 2013 00:00:00 GMT'],
      ['host', 'examplebucket.s3.amazonaws.com'],
      ['x-amz-content-sha256', sha256],
      ['x-amz-date', SCOPE.time],
      ['x-amz-storage-class', 'REDUCED_REDUNDANCY'],
    ]),
    signedHeaders: ['date', 'host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-storage-class'],
    payloadHash: sha256,
  });
  expect(signRequest(KEY, SCOPE, canonical)).toBe(
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
});

test('a listing with a query', () => {
  const canonical = canonicalRequest({
    method: 'GET',
    path: '/',
    query: [
      ['prefix', 'J'],
      ['max-keys', '2'],
    ],
    headers: new Map([
      ['host', 'examplebucket.s3.amazonaws.com'],
      ['x-amz-content-sha256', EMPTY],
      ['x-amz-date', SCOPE.time],
    ]),
    signedHeaders: ['host', 'x-amz-content-sha256', 'x-amz-date'],
    payloadHash: EMPTY,
  });
  expect(signRequest(KEY, SCOPE, canonical)).toBe(
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

test('a presigned GET', () => {
  const canonical = canonicalRequest({
    method: 'GET',
    path: '/test.txt',
    query: [
      ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
      ['X-Amz-Credential', 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'],
      ['X-Amz-Date', SCOPE.time],
      ['X-Amz-Expires', '86400'],
      ['X-Amz-SignedHeaders', 'host'],
      ['X-Amz-Signature', 'left out of what is signed'],
    ],
    headers: new Map([['host', 'examplebucket.s3.amazonaws.com']]),
    signedHeaders: ['host'],
    payloadHash: 'UNSIGNED-PAYLOAD',
  });
  expect(signRequest(KEY, SCOPE, canonical)).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('chunks, each signed over the one before', () => {
  let previousSignature = '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9';
  const expected = [
    [Buffer.alloc(65_536, 'a'), 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'],
    [Buffer.alloc(1_024, 'a'), '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497'],
    [Buffer.alloc(0), 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9'],
  ] as const;
  for (const [bytes, signature] of expected) {
    previousSignature = signChunk(KEY, SCOPE, { previousSignature, sha256: sha256Hex(bytes) });
    expect(previousSignature).toBe(signature);
  }
});

test('characters are encoded as the signature wants them', () => {
  expect(encodeRfc3986("aZ09-._~ !'()*/é")).toBe('aZ09-._~%20%21%27%28%29%2A%2F%C3%A9');
});

test('signatures of other lengths are not the same, nor is a prefix', () => {
  expect(sameSignature('abc', 'abc')).toBe(true);
  expect(sameSignature('abc', 'abd')).toBe(false);
  expect(sameSignature('abc', 'ab')).toBe(false);
  expect(sameSignature('', '')).toBe(true);
});
