import { closeSync, openSync, writeSync } from 'node:fs';
import {
  type ByteRange,
  type CallOptions,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type Pacer,
  type PluginContext,
  type PluginOptions,
  type PutOptions,
  readPluginOptions,
  type SegmentSource,
  textOption,
} from '@logloft/remote-storage';
import { LocalObjectStore } from '@logloft/remote-storage-local';

/** One line of a meter's file: what passed the store, when. */
export interface MeterEntry {
  /** Wall time in ms, with fraction. */
  readonly t: number;
  /**
   * `begin` of a put; bytes that the pacer let through (`take`), that were written (`put`), that were
   * read (`get`); `end` of a put.
   */
  readonly op: 'begin' | 'take' | 'put' | 'end' | 'get';
  readonly key: string;
  readonly bytes: number;
}

/**
 * A local store that writes down every piece when it has been written or read, so that rates are known
 * exactly and at the store: the quotas are not asked what they believe they let through. A plugin like
 * anybody's own; options `root` and `meter`, the file of the entries, one JSON object a line.
 */
class MeteringStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  readonly #inner: LocalObjectStore;
  readonly #file: number;

  constructor(inner: LocalObjectStore, meter: string) {
    this.#inner = inner;
    this.capabilities = inner.capabilities;
    this.#file = openSync(meter, 'a');
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.#write('begin', key, source.size);
    await this.#inner.put(key, source, {
      ...options,
      pacer: options.pacer && this.#meteredPacer(key, options.pacer),
      // The store tells of a slice when it has been written.
      onProgress: (bytes) => {
        this.#write('put', key, bytes);
        options.onProgress?.(bytes);
      },
    });
    this.#write('end', key, source.size);
  }

  async get(
    key: string,
    range?: ByteRange,
    options?: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    const pieces = await this.#inner.get(key, range, options);
    return this.#metered(key, pieces);
  }

  async head(key: string, options?: CallOptions): Promise<ObjectHead> {
    return await this.#inner.head(key, options);
  }

  async delete(keys: readonly string[], options?: CallOptions): Promise<void> {
    await this.#inner.delete(keys, options);
  }

  list(options?: ListOptions): AsyncIterable<ObjectHead> {
    return this.#inner.list(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
    closeSync(this.#file);
  }

  async *#metered(
    key: string,
    pieces: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of pieces) {
      this.#write('get', key, piece.byteLength);
      yield piece;
    }
  }

  #meteredPacer(key: string, pacer: Pacer): Pacer {
    return {
      get sliceBytes(): number | undefined {
        return pacer.sliceBytes;
      },
      take: async (bytes, options): Promise<void> => {
        await pacer.take(bytes, options);
        this.#write('take', key, bytes);
      },
    };
  }

  #write(op: MeterEntry['op'], key: string, bytes: number): void {
    const t = performance.timeOrigin + performance.now();
    const entry: MeterEntry = { t, op, key, bytes };
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}

/** The plugin's factory. */
export async function createObjectStore(
  options: PluginOptions,
  context: PluginContext,
): Promise<ObjectStore> {
  const { root, meter } = readPluginOptions(options, { root: textOption(), meter: textOption() });
  return new MeteringStore(await LocalObjectStore.open({ root }, context), meter);
}
