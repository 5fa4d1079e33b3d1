import type { Clock, RandomSource } from '@logloft/clock';
import type { Exchange } from '../http/exchange.ts';
import type { MemoryBudget } from '../storage/memory-budget.ts';
import type { ChunkSigning } from './authenticate.ts';
import { type ReceivedPayload, type ReceiveOptions, receivePayload } from './receive-payload.ts';
import type { S3Credential } from './s3-credential.ts';
import { S3Error } from './s3-error.ts';
import type { S3Bucket, S3Storage } from './s3-storage.ts';
import type { ResolvedS3StubOptions } from './s3-stub-options.ts';
import { readXml, type XmlElement, XmlError } from './xml-reader.ts';

/** What all calls share. */
export interface S3Context {
  readonly options: ResolvedS3StubOptions;
  readonly storage: S3Storage;
  /** Of objects and parts. */
  readonly budget: MemoryBudget;
  /** Of documents on their way in: of its own, so that a full stub can still be told to delete. */
  readonly documents: MemoryBudget;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** What one {@link S3Call} is made of. */
export interface S3CallParts {
  readonly context: S3Context;
  readonly exchange: Exchange;
  readonly bucketName: string;
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  readonly credential: S3Credential;
  readonly payloadHash: string;
  readonly chunkSigning: ChunkSigning | undefined;
}

/** The largest document that a request may carry. */
const XML_BYTES_MAX = 1024 * 1024;
const KEY_BYTES_MAX = 1024;

/** One authenticated request, with what its handler needs to serve it. */
export class S3Call {
  readonly context: S3Context;
  readonly exchange: Exchange;
  readonly bucketName: string;
  readonly query: ReadonlyMap<string, string>;
  readonly credential: S3Credential;
  readonly #key: string;
  readonly #payloadHash: string;
  readonly #chunkSigning: ChunkSigning | undefined;

  constructor(parts: S3CallParts) {
    this.context = parts.context;
    this.exchange = parts.exchange;
    this.bucketName = parts.bucketName;
    this.query = parts.query;
    this.credential = parts.credential;
    this.#key = parts.key;
    this.#payloadHash = parts.payloadHash;
    this.#chunkSigning = parts.chunkSigning;
  }

  /** @throws S3Error when the key is longer than 1024 bytes */
  get key(): string {
    assertKey(this.#key);
    return this.#key;
  }

  /** @throws S3Error when there is no such bucket */
  get bucket(): S3Bucket {
    return this.context.storage.bucket(this.bucketName);
  }

  /** @throws S3Error when there is no such bucket */
  assertBucket(): void {
    this.context.storage.bucket(this.bucketName);
  }

  get nowMs(): number {
    return this.context.clock.now();
  }

  /** A header of the request, or `undefined`. */
  header(name: string): string | undefined {
    return this.exchange.head.headers.get(name);
  }

  /** An identifier that nobody can guess, in hexadecimal. */
  newId(bytes: number): string {
    return Buffer.from(this.context.random.fill(new Uint8Array(bytes))).toString('hex');
  }

  /** Receives the body of an object or of a part; see {@link receivePayload}. */
  receive(): Promise<ReceivedPayload> {
    const { budget, options } = this.context;
    return this.#receive({ maxBytes: options.maxPutBytes, budget, isObjectChecksum: false });
  }

  /**
   * Receives a body that is a document.
   *
   * @param options `maxBytes` is 1 MiB unless told otherwise; `isObjectChecksum`: a checksum in the head is
   *   that of the object that comes of the request, not of the document
   * @throws S3Error when it is too large or no XML, and as {@link receivePayload}
   */
  async receiveXml(
    options: { readonly maxBytes?: number; readonly isObjectChecksum?: boolean } = {},
  ): Promise<XmlElement> {
    const { maxBytes = XML_BYTES_MAX, isObjectChecksum = false } = options;
    const budget = this.context.documents;
    const declared = Number(this.header('content-length') ?? 0);
    if (declared > maxBytes) {
      throw new S3Error('MaxMessageLengthExceeded', 'Your request was too big.', {
        MaxMessageLengthBytes: String(maxBytes),
      });
    }
    const payload = await this.#receive({ maxBytes, budget, isObjectChecksum });
    const text = payload.bytes.toBuffer().toString('utf8');
    budget.release(payload.bytes.size);
    try {
      return readXml(text);
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      throw new S3Error(
        'MalformedXML',
        `The XML you provided was not well-formed or did not validate against our published schema: ${error.message}`,
      );
    }
  }

  #receive(
    options: Pick<ReceiveOptions, 'maxBytes' | 'budget' | 'isObjectChecksum'>,
  ): Promise<ReceivedPayload> {
    return receivePayload(this.exchange, {
      ...options,
      payloadHash: this.#payloadHash,
      chunkSigning: this.#chunkSigning,
      dialect: this.context.options.checksums,
    });
  }
}

/** @throws S3Error when a version is asked for that is not the only one that there is, `null` */
export function assertOnlyVersion(versionId: string | undefined): void {
  if (versionId === undefined || versionId === 'null') return;
  throw new S3Error('NoSuchVersion', 'The specified version does not exist.', {
    VersionId: versionId,
  });
}

/** @throws S3Error when a key is empty or longer than 1024 bytes */
export function assertKey(key: string): void {
  const bytes = Buffer.byteLength(key, 'utf8');
  if (bytes === 0) throw new S3Error('InvalidArgument', 'A key is at least 1 byte long.');
  if (bytes > KEY_BYTES_MAX) {
    throw new S3Error('KeyTooLongError', 'Your key is too long', {
      Size: String(bytes),
      MaxSizeAllowed: String(KEY_BYTES_MAX),
    });
  }
}
