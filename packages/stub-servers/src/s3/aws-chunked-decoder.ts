import { createHash, type Hash } from 'node:crypto';
import type { ChunkSigning } from './authenticate.ts';
import { S3Error } from './s3-error.ts';
import { sameSignature, sha256Hex, signChunk, signTrailers } from './signature-v4.ts';

const LINE_BYTES_MAX = 4 * 1024;
const TRAILERS_MAX = 16;
const LF = 0x0a;

type State = 'size' | 'data' | 'data-end' | 'trailers' | 'done';

function broken(problem: string): S3Error {
  return new S3Error('IncompleteBody', `The aws-chunked body is malformed: ${problem}.`);
}

/**
 * Takes `aws-chunked` framing off a body:
 *
 *     <size in hexadecimal>[;chunk-signature=<signature>]\r\n <bytes> \r\n ... 0[;...]\r\n
 *     [<trailer>:<value>\r\n ...] \r\n
 *
 * and checks the signatures, each of which covers the one before.
 */
export class AwsChunkedDecoder {
  readonly #onContent: (bytes: Buffer) => void;
  readonly #signing: ChunkSigning | undefined;
  readonly #trailers = new Map<string, string>();
  #state: State = 'size';
  #line: Buffer[] = [];
  #lineBytes = 0;
  #left = 0;
  #signature = '';
  #claimed = '';
  #hash: Hash | undefined;
  #signedTrailers = '';

  /** @param signing set when the chunks are signed: what their signatures go on from */
  constructor(onContent: (bytes: Buffer) => void, signing: ChunkSigning | undefined) {
    this.#onContent = onContent;
    this.#signing = signing;
    this.#signature = signing?.seedSignature ?? '';
  }

  /** @throws S3Error when the framing or a signature is wrong */
  push(piece: Buffer): void {
    let rest = piece;
    while (rest.length > 0) {
      if (this.#state === 'done') throw broken('there are bytes behind its end');
      rest = this.#state === 'data' ? this.#takeData(rest) : this.#takeLine(rest);
    }
  }

  /**
   * The trailers, by lower-case name.
   *
   * @throws S3Error when the body ended early
   */
  end(): ReadonlyMap<string, string> {
    if (this.#state !== 'done') throw broken('it ends early');
    return this.#trailers;
  }

  #takeData(bytes: Buffer): Buffer {
    const content = bytes.subarray(0, this.#left);
    this.#left -= content.length;
    this.#hash?.update(content);
    this.#onContent(content);
    if (this.#left === 0) this.#state = 'data-end';
    return bytes.subarray(content.length);
  }

  #takeLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(LF);
    const part = end < 0 ? bytes : bytes.subarray(0, end + 1);
    this.#lineBytes += part.length;
    if (this.#lineBytes > LINE_BYTES_MAX) throw broken('a line is too long');
    this.#line.push(part);
    if (end >= 0) {
      const line = Buffer.concat(this.#line)
        .toString('latin1')
        .replace(/\r?\n$/, '');
      this.#line = [];
      this.#lineBytes = 0;
      this.#lineRead(line);
    }
    return bytes.subarray(part.length);
  }

  #lineRead(line: string): void {
    if (this.#state === 'size') this.#sizeRead(line);
    else if (this.#state === 'data-end') this.#chunkEnded(line);
    else this.#trailerRead(line);
  }

  #sizeRead(line: string): void {
    const parts = /^([\da-f]{1,13})(?:;chunk-signature=([\da-f]{64}))?$/i.exec(line);
    if (parts === null) throw broken('a chunk does not begin with its size');
    this.#left = Number.parseInt(parts[1] ?? '', 16);
    this.#claimed = parts[2] ?? '';
    if (this.#signing !== undefined) this.#hash = createHash('sha256');
    if (this.#left > 0) {
      this.#state = 'data';
      return;
    }
    this.#checkChunk();
    this.#state = 'trailers';
  }

  #chunkEnded(line: string): void {
    if (line !== '') throw broken('a chunk is longer than its size');
    this.#checkChunk();
    this.#state = 'size';
  }

  #checkChunk(): void {
    if (this.#signing === undefined || this.#hash === undefined) return;
    const sha256 = this.#hash.digest('hex');
    const previousSignature = this.#signature;
    const expected = signChunk(this.#signing.key, this.#signing, { previousSignature, sha256 });
    this.#check(expected, this.#claimed);
  }

  #check(expected: string, claimed: string): void {
    if (!sameSignature(expected, claimed)) {
      throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk does not match.');
    }
    this.#signature = expected;
  }

  #trailerRead(line: string): void {
    if (line === '') {
      this.#state = 'done';
      this.#checkTrailers();
      return;
    }
    const colon = line.indexOf(':');
    if (colon <= 0) throw new S3Error('MalformedTrailerError', 'A trailer has no name.');
    if (this.#trailers.size >= TRAILERS_MAX) {
      throw new S3Error('MalformedTrailerError', 'There are too many trailers.');
    }
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    this.#trailers.set(name, value);
    if (name !== 'x-amz-trailer-signature') this.#signedTrailers += `${name}:${value}\n`;
  }

  #checkTrailers(): void {
    if (this.#signing === undefined || this.#trailers.size === 0) return;
    const previousSignature = this.#signature;
    const sha256 = sha256Hex(this.#signedTrailers);
    const expected = signTrailers(this.#signing.key, this.#signing, { previousSignature, sha256 });
    this.#check(expected, this.#trailers.get('x-amz-trailer-signature') ?? '');
  }
}
