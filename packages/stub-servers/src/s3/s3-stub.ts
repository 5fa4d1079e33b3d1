import type { FailureScript } from '../http/failure-script.ts';
import type { RequestLog } from '../http/request-log.ts';
import { StubHttpServer } from '../http/stub-http-server.ts';
import { MemoryBudget } from '../storage/memory-budget.ts';
import type { ObjectChecksum } from './checksum.ts';
import { partsInOrder } from './pending-upload.ts';
import { metadataOf, type S3Object } from './s3-object.ts';
import { S3Service } from './s3-service.ts';
import { S3Storage } from './s3-storage.ts';
import {
  type ResolvedS3StubOptions,
  resolveS3StubOptions,
  type S3StubOptions,
} from './s3-stub-options.ts';

/** Documents of requests that are read at one time, all together. */
const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024;

/** An object in an {@link S3Stub}, for looking at. */
export interface S3StubObject {
  readonly key: string;
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  readonly lastModifiedMs: number;
  readonly contentType: string;
  /** The user's metadata, names without `x-amz-meta-`. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly checksum: ObjectChecksum | undefined;
  /** A copy of its bytes. */
  bytes(): Buffer;
}

/** An unfinished upload in an {@link S3Stub}, for looking at. */
export interface S3PendingUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly initiatedMs: number;
  readonly parts: readonly { readonly partNumber: number; readonly size: number }[];
}

/** A running S3 stub. */
export class S3Stub implements AsyncDisposable {
  readonly #server: StubHttpServer;
  readonly #storage: S3Storage;
  readonly #budget: MemoryBudget;
  readonly #options: ResolvedS3StubOptions;

  /** Made by {@link startS3Stub}. */
  constructor(parts: {
    readonly server: StubHttpServer;
    readonly storage: S3Storage;
    readonly budget: MemoryBudget;
    readonly options: ResolvedS3StubOptions;
  }) {
    this.#server = parts.server;
    this.#storage = parts.storage;
    this.#budget = parts.budget;
    this.#options = parts.options;
  }

  /** The endpoint, as `http://127.0.0.1:40123`. */
  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return this.#server.port;
  }

  get region(): string {
    return this.#options.region;
  }

  /** The first user's credential, ready for a client: a copy, as clients write into theirs. */
  get credentials(): { accessKeyId: string; secretAccessKey: string; sessionToken?: string } {
    const [first] = this.#options.credentials;
    const { accessKeyId = '', secretAccessKey = '', sessionToken } = first ?? {};
    return {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    };
  }

  /** The requests that arrived, and their counts by operation. */
  get requests(): RequestLog {
    return this.#server.requests;
  }

  /** The failures to show. */
  get failures(): FailureScript {
    return this.#server.failures;
  }

  /** Bytes held at present: objects, parts, and bodies on their way in. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  /** How many connections were accepted so far: whether a client reuses them. */
  get connections(): number {
    return this.#server.connections;
  }

  /** Names of all buckets, in order. */
  buckets(): readonly string[] {
    return this.#storage.buckets().map(({ name }) => name);
  }

  /** @throws Error with the `code` of S3 when the name is not one, or taken */
  createBucket(name: string): void {
    this.#storage.createBucket(name, this.#options.clock.now());
  }

  /**
   * The objects of a bucket, in the order of the UTF-8 bytes of their keys.
   *
   * @throws Error with `code` `NoSuchBucket` when there is no such bucket
   */
  objects(bucket: string): readonly S3StubObject[] {
    return this.#storage.bucket(bucket).objects.values().map(describeObject);
  }

  /** One object, or `undefined` when it is not there; otherwise as {@link S3Stub.objects}. */
  object(bucket: string, key: string): S3StubObject | undefined {
    const object = this.#storage.bucket(bucket).objects.get(key);
    return object === undefined ? undefined : describeObject(object);
  }

  /**
   * The uploads of a bucket that are neither completed nor aborted, oldest first.
   *
   * @throws Error with `code` `NoSuchBucket` when there is no such bucket
   */
  pendingUploads(bucket: string): readonly S3PendingUpload[] {
    return [...this.#storage.bucket(bucket).uploads.values()].map((upload) => ({
      key: upload.key,
      uploadId: upload.uploadId,
      initiatedMs: upload.initiatedMs,
      parts: partsInOrder(upload).map(({ partNumber, bytes }) => ({
        partNumber,
        size: bytes.size,
      })),
    }));
  }

  /**
   * Resolves as soon as no request is being served: after a client broke off, that is when the stub
   * has noticed and cleaned up.
   *
   * @throws the reason of `signal` when that comes first
   */
  idle(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#server.idle(options);
  }

  /** Ends the port, all connections and all timers. May be called again. */
  close(): Promise<void> {
    return this.#server.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function describeObject(object: S3Object): S3StubObject {
  return {
    key: object.key,
    size: object.bytes.size,
    etag: object.etag,
    lastModifiedMs: object.lastModifiedMs,
    contentType: object.headers.get('content-type') ?? '',
    metadata: metadataOf(object),
    checksum: object.checksum,
    bytes: () => object.bytes.toBuffer(),
  };
}

/**
 * Starts an S3 stub in this process, on a port of 127.0.0.1.
 *
 * @throws RangeError or TypeError when an option is not allowed, and the system's error when the port
 *   cannot be had
 */
export async function startS3Stub(options: S3StubOptions = {}): Promise<S3Stub> {
  const resolved = resolveS3StubOptions(options);
  const { clock, random, expectContinue, maxLoggedRequests, port } = resolved;
  const budget = new MemoryBudget(resolved.maxBytes);
  const storage = new S3Storage(budget);
  for (const bucket of resolved.buckets) storage.createBucket(bucket, clock.now());
  const documents = new MemoryBudget(DOCUMENT_BYTES_MAX);
  const context = { options: resolved, storage, budget, documents, clock, random };
  const service = new S3Service(context);
  const server = await StubHttpServer.listen(service, {
    clock,
    port,
    expectContinue,
    maxLoggedRequests,
  });
  return new S3Stub({ server, storage, budget, options: resolved });
}
