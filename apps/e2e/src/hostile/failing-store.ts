import { appendFileSync, readFileSync } from 'node:fs';
import {
  type ByteRange,
  type CallOptions,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type PluginContext,
  type PluginOptions,
  type PutOptions,
  readPluginOptions,
  type SegmentSource,
  textOption,
} from '@logloft/remote-storage';
import { LocalObjectStore } from '@logloft/remote-storage-local';

/** What is written to the file of a {@link FailingStore}: calls fail, or never come back. */
export type Outage = 'fail' | 'hang';

/**
 * A local store that is out of order as long as a file says so: it then throws an error of no
 * particular kind, or does not answer until it is told to give up. A plugin like anybody's own; options
 * `root`, `outage`, the file that says `fail` or `hang`, and `attempts`, a file with a line for each
 * call that was begun.
 */
class FailingStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  readonly #inner: LocalObjectStore;
  readonly #outage: string;
  readonly #attempts: string;

  constructor(
    inner: LocalObjectStore,
    { outage, attempts }: { readonly outage: string; readonly attempts: string },
  ) {
    this.#inner = inner;
    this.capabilities = inner.capabilities;
    this.#outage = outage;
    this.#attempts = attempts;
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await this.#failIfOut('put', key, options);
    await this.#inner.put(key, source, options);
  }

  async get(
    key: string,
    range?: ByteRange,
    options?: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    await this.#failIfOut('get', key, options);
    return await this.#inner.get(key, range, options);
  }

  async head(key: string, options?: CallOptions): Promise<ObjectHead> {
    await this.#failIfOut('head', key, options);
    return await this.#inner.head(key, options);
  }

  async delete(keys: readonly string[], options?: CallOptions): Promise<void> {
    await this.#failIfOut('delete', keys.join(), options);
    await this.#inner.delete(keys, options);
  }

  list(options?: ListOptions): AsyncIterable<ObjectHead> {
    return this.#inner.list(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
  }

  async #failIfOut(op: string, key: string, { signal }: CallOptions = {}): Promise<void> {
    appendFileSync(this.#attempts, `${op} ${key}\n`);
    const outage = this.#read();
    if (outage === 'fail') throw new Error('connect ECONNREFUSED: the store is out of order');
    if (outage !== 'hang') return;
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    await promise;
  }

  #read(): string {
    try {
      return readFileSync(this.#outage, 'utf8');
    } catch {
      return '';
    }
  }
}

/** The plugin's factory. */
export async function createObjectStore(
  options: PluginOptions,
  context: PluginContext,
): Promise<ObjectStore> {
  const { root, ...files } = readPluginOptions(options, {
    root: textOption(),
    outage: textOption(),
    attempts: textOption(),
  });
  return new FailingStore(await LocalObjectStore.open({ root }, context), files);
}
