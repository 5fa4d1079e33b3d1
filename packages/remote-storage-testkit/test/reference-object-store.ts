import {
  assertObjectKey,
  type ByteRange,
  type CallOptions,
  clipByteRange,
  compareKeys,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type PutOptions,
  pacedSlices,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  type SegmentSource,
  sourceSlices,
  toRemoteStorageError,
} from '@logloft/remote-storage';

/** The plainest store that keeps the contract; the broken ones differ from it in one thing each. */
export class ReferenceObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  readonly objects: Map<string, Uint8Array>;
  #closed = false;

  constructor(
    capabilities: Partial<ObjectStoreCapabilities> = {},
    objects: Map<string, Uint8Array> = new Map(),
  ) {
    this.objects = objects;
    this.capabilities = {
      name: 'reference',
      durable: false,
      conditionalPut: true,
      paced: true,
      maxObjectBytes: 100_000_000,
      maxKeyBytes: 700,
      ...capabilities,
    };
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.check(options, key);
    const bytes = await this.readAll(source, options);
    options.signal?.throwIfAborted();
    if (options.ifAbsent) this.refuseExisting(key);
    this.objects.set(key, bytes);
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    this.check(options, key);
    return pacedSlices(this.pieces(this.find(key), range), options);
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    this.check(options, key);
    return { key, size: this.find(key).byteLength };
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    this.check(options, ...keys);
    for (const key of keys) this.objects.delete(key);
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    this.check(options);
    for (const key of [...this.objects.keys()].sort(compareKeys)) {
      if (!key.startsWith(options.prefix ?? '')) continue;
      yield { key, size: this.objects.get(key)?.byteLength ?? 0 };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
  }

  protected check(options: CallOptions, ...keys: readonly string[]): void {
    options.signal?.throwIfAborted();
    if (this.#closed) throw new RemoteStorageError('aborted', 'closed');
    for (const key of keys) assertObjectKey(key, this.capabilities.maxKeyBytes);
  }

  protected find(key: string): Uint8Array {
    const bytes = this.objects.get(key);
    if (bytes === undefined) throw new RemoteResourceNotFoundError('missing', { key });
    return bytes;
  }

  protected refuseExisting(key: string): void {
    if (!this.objects.has(key)) return;
    throw new RemoteStorageError('precondition', 'exists', { key });
  }

  protected pieces(bytes: Uint8Array, range: ByteRange | undefined): AsyncIterable<Uint8Array> {
    if (range === undefined) return cut(bytes);
    const { start, length } = clipByteRange(range, bytes.byteLength);
    return cut(bytes.subarray(start, start + length));
  }

  protected async readAll(source: SegmentSource, options: PutOptions): Promise<Uint8Array> {
    const kept: Uint8Array[] = [];
    try {
      for await (const slice of sourceSlices(source, options)) kept.push(Uint8Array.from(slice));
    } catch (error) {
      options.signal?.throwIfAborted();
      throw toRemoteStorageError(error, { action: 'put' });
    }
    return Uint8Array.from(Buffer.concat(kept));
  }
}

/** Pieces of at most 128 KiB. */
export async function* cut(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.byteLength; at += 131_072) yield bytes.subarray(at, at + 131_072);
}
