import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { QueryPair } from '../http/request-head.ts';

/** What Signature Version 4 signs of a request. */
export interface SignedRequest {
  readonly method: string;
  /** The path, decoded. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  readonly headers: ReadonlyMap<string, string>;
  /** Names of the headers that are signed, lower case, sorted. */
  readonly signedHeaders: readonly string[];
  /** The value of `x-amz-content-sha256`. */
  readonly payloadHash: string;
}

/** For when, where and what a signature holds. */
export interface SigningScope {
  /** `20261128T070605Z`. */
  readonly time: string;
  /** `20261128/us-east-1/s3/aws4_request`. */
  readonly scope: string;
}

/** SHA-256 in lower-case hexadecimal. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Percent-encodes as Signature Version 4 wants: all but letters, digits, and `-._~`. */
export function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function canonicalQuery(pairs: readonly QueryPair[]): string {
  return pairs
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const)
    .sort(([a, x], [b, y]) => compareText(a, b) || compareText(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** The canonical form of a request, of which the signature is made. */
export function canonicalRequest(request: SignedRequest): string {
  const headers = request.signedHeaders.map((name) => {
    const value = (request.headers.get(name) ?? '').trim().replace(/ +/g, ' ');
    return `${name}:${value}\n`;
  });
  return [
    request.method,
    request.path.split('/').map(encodeRfc3986).join('/'),
    canonicalQuery(request.query),
    headers.join(''),
    request.signedHeaders.join(';'),
    request.payloadHash,
  ].join('\n');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data, 'utf8').digest();
}

/** The key that signs within a scope. */
export function signingKey(secretAccessKey: string, scope: string): Buffer {
  return scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`, 'utf8'));
}

/** The signature of a canonical request, in hexadecimal. */
export function signRequest(key: Buffer, { time, scope }: SigningScope, canonical: string): string {
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256Hex(canonical)].join('\n');
  return hmac(key, text).toString('hex');
}

const EMPTY_SHA256 = sha256Hex('');

/** The signature of one chunk of a body that is signed chunk by chunk, in hexadecimal. */
export function signChunk(
  key: Buffer,
  { time, scope }: SigningScope,
  chunk: { readonly previousSignature: string; readonly sha256: string },
): string {
  const text = [
    'AWS4-HMAC-SHA256-PAYLOAD',
    time,
    scope,
    chunk.previousSignature,
    EMPTY_SHA256,
    chunk.sha256,
  ].join('\n');
  return hmac(key, text).toString('hex');
}

/** The signature of the trailers behind a body that is signed chunk by chunk, in hexadecimal. */
export function signTrailers(
  key: Buffer,
  { time, scope }: SigningScope,
  trailers: { readonly previousSignature: string; readonly sha256: string },
): string {
  const text = [
    'AWS4-HMAC-SHA256-TRAILER',
    time,
    scope,
    trailers.previousSignature,
    trailers.sha256,
  ].join('\n');
  return hmac(key, text).toString('hex');
}

/** Compares two signatures in a time that does not tell how much of them is equal. */
export function sameSignature(expected: string, given: string): boolean {
  const a = Buffer.from(expected, 'latin1');
  const b = Buffer.from(given, 'latin1');
  return a.length === b.length && timingSafeEqual(a, b);
}
