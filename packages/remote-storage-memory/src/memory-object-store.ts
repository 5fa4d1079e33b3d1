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
} from '@logloft/remote-storage';

const PIECE_BYTES = 256 * 1024;
const MAX_KEY_BYTES = 1024;

/** Bounds of a {@link MemoryObjectStore}. */
export interface MemoryObjectStoreOptions {
  /** Most bytes of objects kept, those being written included. Default 512 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * An object store in the memory of this process, within a budget of bytes: beyond it, writing fails
 * with `full` and what is there stays. For tests and demonstrations; all is gone with the process.
 */
export class MemoryObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  readonly #objects = new Map<string, Uint8Array>();
  readonly #maxBytes: number;
  #usedBytes = 0;
  #closed = false;

  /** @throws RemoteStorageError `invalid-configuration` when the budget is no positive integer */
  constructor(options: MemoryObjectStoreOptions = {}) {
    this.#maxBytes = options.maxBytes ?? 512 * 1024 * 1024;
    if (!(Number.isSafeInteger(this.#maxBytes) && this.#maxBytes > 0)) {
      throw new RemoteStorageError(
        'invalid-configuration',
        `The memory store's maxBytes must be a positive integer, got ${this.#maxBytes}`,
      );
    }
    this.capabilities = Object.freeze({
      name: 'memory',
      durable: false,
      conditionalPut: true,
      paced: true,
      maxObjectBytes: this.#maxBytes,
      maxKeyBytes: MAX_KEY_BYTES,
    });
  }

  /** Bytes taken from the budget now, those of objects being written included. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.#check(options.signal, key);
    this.#refuseExisting(key, options);
    this.#reserve(key, source.size);
    try {
      const bytes = await readWhole(source, options);
      this.#assertOpen();
      // Another writer may have been faster.
      this.#refuseExisting(key, options);
      this.#usedBytes -= this.#objects.get(key)?.byteLength ?? 0;
      // Where the size was only a bound, the rest of what was reserved is given back.
      this.#usedBytes -= source.size - bytes.byteLength;
      this.#objects.set(key, bytes);
    } catch (error) {
      // Closing gave the whole budget back already.
      if (!this.#closed) this.#usedBytes -= source.size;
      throw error;
    }
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    this.#check(options.signal, key);
    const bytes = this.#find(key);
    const { start, length } =
      range === undefined
        ? { start: 0, length: bytes.byteLength }
        : clipByteRange(range, bytes.byteLength);
    return pacedSlices(pieces(bytes.subarray(start, start + length)), options);
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    this.#check(options.signal, key);
    return { key, size: this.#find(key).byteLength };
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    this.#check(options.signal, ...keys);
    for (const key of keys) {
      this.#usedBytes -= this.#objects.get(key)?.byteLength ?? 0;
      this.#objects.delete(key);
    }
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    const { prefix = '', signal } = options;
    this.#check(signal);
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
    for (const key of keys.sort(compareKeys)) {
      signal?.throwIfAborted();
      const size = this.#objects.get(key)?.byteLength;
      if (size !== undefined) yield { key, size };
    }
  }

  /** Forgets all objects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#objects.clear();
    this.#usedBytes = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #check(signal: AbortSignal | undefined, ...keys: readonly string[]): void {
    signal?.throwIfAborted();
    this.#assertOpen();
    for (const key of keys) assertObjectKey(key, MAX_KEY_BYTES);
  }

  #assertOpen(): void {
    if (!this.#closed) return;
    throw new RemoteStorageError('aborted', 'The memory store is closed; open a new one');
  }

  #find(key: string): Uint8Array {
    const bytes = this.#objects.get(key);
    if (bytes !== undefined) return bytes;
    throw new RemoteResourceNotFoundError(`There is no object ${JSON.stringify(key)}`, { key });
  }

  #refuseExisting(key: string, { ifAbsent }: PutOptions): void {
    if (!(ifAbsent && this.#objects.has(key))) return;
    throw new RemoteStorageError(
      'precondition',
      `The object ${JSON.stringify(key)} exists already`,
      { key },
    );
  }

  #reserve(key: string, bytes: number): void {
    if (!(Number.isSafeInteger(bytes) && bytes >= 0)) {
      throw new RemoteStorageError('corrupt', `A source cannot have ${bytes} bytes`, { key });
    }
    const room = this.#maxBytes - this.#usedBytes;
    if (bytes > room) {
      throw new RemoteStorageError(
        'full',
        `The object ${JSON.stringify(key)} needs ${bytes} bytes, but ${Math.max(room, 0)} of ` +
          `${this.#maxBytes} are left in the memory store; delete objects or raise max.bytes`,
        { key },
      );
    }
    this.#usedBytes += bytes;
  }
}

async function readWhole(source: SegmentSource, options: PutOptions): Promise<Uint8Array> {
  const whole = new Uint8Array(source.size);
  let at = 0;
  for await (const slice of sourceSlices(source, options)) {
    whole.set(slice, at);
    at += slice.byteLength;
  }
  // A copy, so that the memory beyond the last byte is not kept.
  return at === whole.byteLength ? whole : whole.slice(0, at);
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
