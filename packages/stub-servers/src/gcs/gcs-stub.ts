import type { RandomSource } from '@logloft/clock';
import type { FailureScript } from '../http/failure-script.ts';
import type { RequestLog } from '../http/request-log.ts';
import { StubHttpServer } from '../http/stub-http-server.ts';
import { MemoryBudget } from '../storage/memory-budget.ts';
import { Access } from './access.ts';
import { GcsService } from './gcs-service.ts';
import { GcsStorage } from './gcs-storage.ts';
import { type GcsStubOptions, resolveGcsStubOptions } from './gcs-stub-options.ts';
import { ServiceAccount } from './service-account.ts';
import type { StoredObject } from './stored-object.ts';
import { UploadSessions } from './upload-sessions.ts';

/** An object as it is stored. */
export interface GcsStubObject {
  readonly key: string;
  readonly size: number;
  readonly generation: number;
  readonly metageneration: number;
  readonly contentType: string | undefined;
  /** Custom metadata. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Base64 of the CRC-32C, the highest byte first. */
  readonly crc32c: string;
  /** Base64; composed objects have none. */
  readonly md5Hash: string | undefined;
  /** A copy of the content. */
  bytes(): Buffer;
}

/** A resumable upload that is neither finished nor given up. */
export interface GcsPendingUpload {
  readonly uploadId: string;
  readonly key: string;
  /** Bytes that are kept so far. */
  readonly receivedBytes: number;
}

/** A stub of Google Cloud Storage on a port of 127.0.0.1. Made by {@link startGcsStub}. */
export class GcsStub implements AsyncDisposable {
  /** The requests so far. */
  readonly requests: RequestLog;
  /** The failures to come. */
  readonly failures: FailureScript;
  /** The bearer token that requests need, or `undefined` when they need none. */
  readonly token: string | undefined;
  readonly #server: StubHttpServer;
  readonly #storage: GcsStorage;
  readonly #sessions: UploadSessions;
  readonly #budget: MemoryBudget;

  /** For {@link startGcsStub}. */
  constructor(parts: {
    readonly server: StubHttpServer;
    readonly storage: GcsStorage;
    readonly sessions: UploadSessions;
    readonly budget: MemoryBudget;
    readonly token: string | undefined;
  }) {
    this.requests = parts.server.requests;
    this.failures = parts.server.failures;
    this.token = parts.token;
    this.#server = parts.server;
    this.#storage = parts.storage;
    this.#sessions = parts.sessions;
    this.#budget = parts.budget;
  }

  /** `http://127.0.0.1:<port>`: the `apiEndpoint` of clients. */
  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return this.#server.port;
  }

  /** How many connections were accepted so far: whether a client reuses them. */
  get connections(): number {
    return this.#server.connections;
  }

  /** Bytes held: objects, unfinished uploads, and what is on its way in. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  /** Names of all buckets, in order. */
  buckets(): readonly string[] {
    return this.#storage.buckets().map(({ name }) => name);
  }

  /** @throws GcsError `conflict` when it exists, `invalid` when the service would not take the name */
  createBucket(name: string): void {
    this.#storage.createBucket(name, new Map());
  }

  /**
   * The objects of a bucket, in the order of the UTF-8 bytes of their keys.
   *
   * @throws GcsError `notFound` when there is no such bucket
   */
  objects(bucket: string): readonly GcsStubObject[] {
    return this.#storage.bucket(bucket).objects.values().map(stubObject);
  }

  /** One object, or `undefined` when it is not there; otherwise as {@link GcsStub.objects}. */
  object(bucket: string, key: string): GcsStubObject | undefined {
    const object = this.#storage.peek(bucket, key);
    return object === undefined ? undefined : stubObject(object);
  }

  /** The unfinished resumable uploads to a bucket, oldest first. */
  pendingUploads(bucket: string): readonly GcsPendingUpload[] {
    return this.#sessions.pending(bucket).map(({ id, plan, receivedBytes }) => ({
      uploadId: id,
      key: plan.name,
      receivedBytes,
    }));
  }

  /**
   * Resolves as soon as no request is being served: after a client broke off, that is when the stub
   * has noticed and cleaned up.
   *
   * @throws the reason of `signal` when that comes first
   */
  async idle(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    await this.#server.idle(options);
  }

  /** Ends the port, all connections and all delays. May be called again. */
  async close(): Promise<void> {
    await this.#server.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Starts a stub of Google Cloud Storage.
 *
 * @throws RangeError or TypeError when an option's value is not allowed
 * @throws GcsError `invalid` for a bucket name that the service would not take
 * @throws the system's error (`code` EADDRINUSE, EACCES) when the port cannot be had
 */
export async function startGcsStub(options: GcsStubOptions = {}): Promise<GcsStub> {
  const resolved = resolveGcsStubOptions(options);
  const { buckets, clock, maxBytes, maxLoggedRequests, port, random, serviceAccount } = resolved;
  const account = serviceAccount === undefined ? undefined : new ServiceAccount(serviceAccount);
  // Whoever has the account's key must get something for it.
  const token = resolved.token ?? (account && randomToken(random));
  const budget = new MemoryBudget(maxBytes);
  const storage = new GcsStorage({ clock, budget });
  const sessions = new UploadSessions({ clock, random, budget });
  for (const bucket of buckets) storage.createBucket(bucket, new Map());
  const access = new Access({ clock, token, account });
  const server = await StubHttpServer.listen(
    new GcsService({ clock, budget, storage, sessions }, access),
    { clock, port, expectContinue: 'answer', maxLoggedRequests },
  );
  return new GcsStub({ server, storage, sessions, budget, token });
}

function randomToken(random: RandomSource): string {
  return Buffer.from(random.fill(new Uint8Array(24))).toString('base64url');
}

function stubObject(object: StoredObject): GcsStubObject {
  const { name, content, settings, generation, metageneration } = object;
  const contentType = settings.fields.get('contentType');
  return {
    key: name,
    size: content.bytes.size,
    generation,
    metageneration,
    contentType: contentType === undefined ? undefined : String(contentType),
    metadata: new Map(settings.metadata),
    crc32c: content.crc32c,
    md5Hash: content.md5Hash,
    bytes: () => content.bytes.toBuffer(),
  };
}
