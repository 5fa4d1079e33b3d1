import {
  type ByteRange,
  type CallOptions,
  clipByteRange,
  type ListOptions,
  memorySource,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type PutOptions,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  type SegmentSource,
} from '../src/index.ts';

/** Something that a test does before a call reaches the store. */
export type Intervention = (
  operation: string,
  key: string,
  signal: AbortSignal | undefined,
) => unknown;

/** A store in a map that keeps a record of its calls, and lets a test step in. */
export class MapObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  readonly objects: Map<string, Uint8Array> = new Map();
  readonly calls: string[] = [];
  intervene: Intervention = () => undefined;
  /** Changes what a `get` gives. */
  onPieces: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (pieces) => pieces;
  disposals = 0;

  constructor(capabilities: Partial<ObjectStoreCapabilities> = {}) {
    this.capabilities = {
      name: 'map',
      durable: false,
      conditionalPut: false,
      paced: false,
      maxObjectBytes: 1_000_000_000,
      maxKeyBytes: 1024,
      ...capabilities,
    };
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await this.#enter('put', key, options);
    if (options.ifAbsent && this.objects.has(key)) {
      throw new RemoteStorageError('precondition', `${key} exists`, { key });
    }
    const kept: Uint8Array[] = [];
    if (source.size > 0) {
      for await (const piece of source.read({ start: 0 }, options))
        kept.push(Uint8Array.from(piece));
    }
    this.objects.set(key, Uint8Array.from(Buffer.concat(kept)));
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    await this.#enter('get', key, options);
    const bytes = this.#find(key);
    const { start, length } = clipByteRange(range ?? { start: 0 }, bytes.byteLength);
    return this.onPieces(memorySource(bytes.subarray(start, start + length)).read({ start: 0 }));
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    await this.#enter('head', key, options);
    return { key, size: this.#find(key).byteLength };
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    await this.#enter('delete', keys.join(' '), options);
    for (const key of keys) this.objects.delete(key);
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    await this.#enter('list', options.prefix ?? '', options);
    for (const key of [...this.objects.keys()].sort()) {
      if (key.startsWith(options.prefix ?? '')) yield { key, size: this.#find(key).byteLength };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposals += 1;
  }

  async #enter(operation: string, key: string, { signal }: CallOptions): Promise<void> {
    this.calls.push(`${operation} ${key}`);
    await this.intervene(operation, key, signal);
  }

  #find(key: string): Uint8Array {
    const bytes = this.objects.get(key);
    if (bytes === undefined) throw new RemoteResourceNotFoundError(`no ${key}`, { key });
    return bytes;
  }
}

/** Never settles, and listens to nothing. */
export function forEver(): Promise<never> {
  return new Promise(() => undefined);
}
