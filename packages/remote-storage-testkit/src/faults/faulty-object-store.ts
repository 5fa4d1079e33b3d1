import type { Clock } from '@logloft/clock';
import {
  type ByteRange,
  type CallOptions,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type PutOptions,
  RemoteStorageError,
  type RemoveUnfinishedOptions,
  type SegmentSource,
} from '@logloft/remote-storage';
import type { Fault, FaultPlan, StoreCall, StoreOperation } from './fault-plan.ts';

/** Any store, and what a plan makes go wrong with it. Keeps a record of the calls. */
export class FaultyObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  /** That of the store, where it has one; never faulty. */
  readonly serverTime?: NonNullable<ObjectStore['serverTime']>;
  /** There where the store has it. */
  readonly removeUnfinished?: NonNullable<ObjectStore['removeUnfinished']>;
  readonly #store: ObjectStore;
  readonly #plan: FaultPlan;
  readonly #clock: Clock;
  readonly #calls: StoreCall[] = [];

  /** @param store belongs to this from now on, and is disposed of with it */
  constructor(store: ObjectStore, plan: FaultPlan, clock: Clock) {
    this.capabilities = store.capabilities;
    this.#store = store;
    this.#plan = plan;
    this.#clock = clock;
    if (store.serverTime) this.serverTime = store.serverTime.bind(store);
    if (store.removeUnfinished)
      this.removeUnfinished = (options) => this.#removeUnfinished(options);
  }

  /** The calls so far, also those that failed. */
  get calls(): readonly StoreCall[] {
    return this.#calls;
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const fault = await this.#before('put', key, options);
    const cut = fault?.type === 'cut' ? cutSource(source, fault.afterBytes) : source;
    await this.#store.put(key, cut, options);
    loseAnswer(fault, key);
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const fault = await this.#before('get', key, options);
    const pieces = await this.#store.get(key, range, options);
    if (fault?.type === 'cut') return cutPieces(pieces, fault.afterBytes);
    if (fault?.type === 'lie') return shortened(pieces, fault.missingBytes);
    if (fault?.type === 'fail') await pieces[Symbol.asyncIterator]().return?.();
    loseAnswer(fault, key);
    return pieces;
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    const fault = await this.#before('head', key, options);
    const head = await this.#store.head(key, options);
    loseAnswer(fault, key);
    return belittle(head, fault);
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    const fault = await this.#before('delete', keys[0] ?? '', options);
    await this.#store.delete(keys, options);
    loseAnswer(fault, keys[0] ?? '');
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    const fault = await this.#before('list', options.prefix ?? '', options);
    for await (const head of this.#store.list(options)) yield belittle(head, fault);
    loseAnswer(fault, options.prefix ?? '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  async #removeUnfinished(options: RemoveUnfinishedOptions): Promise<number> {
    const { prefix = '' } = options;
    const fault = await this.#before('removeUnfinished', prefix, options);
    const removed = (await this.#store.removeUnfinished?.(options)) ?? 0;
    loseAnswer(fault, prefix);
    return removed;
  }

  async #before(
    operation: StoreOperation,
    key: string,
    { signal }: CallOptions,
  ): Promise<Fault | undefined> {
    const call = { operation, key, number: this.#calls.length + 1 };
    this.#calls.push(call);
    const fault = this.#plan.next(call);
    if (fault?.type === 'slow') await this.#wait(fault.ms, signal);
    if (fault?.type === 'hang') await this.#wait(undefined, fault.deaf ? undefined : signal);
    if (fault?.type === 'fail' && !fault.afterEffect) throw failure(fault, key);
    return fault;
  }

  // Without `ms` for ever.
  #wait(ms: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        timer?.cancel();
        reject(signal?.reason);
      };
      const timer =
        ms === undefined
          ? undefined
          : this.#clock.setTimer(ms, () => {
              signal?.removeEventListener('abort', onAbort);
              resolve();
            });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function failure(fault: Fault & { readonly type: 'fail' }, key: string): RemoteStorageError {
  const { kind, retryAfterMs } = fault;
  return new RemoteStorageError(kind, `Injected: ${kind}`, { key, retryAfterMs });
}

function loseAnswer(fault: Fault | undefined, key: string): void {
  if (fault?.type === 'fail' && fault.afterEffect) throw failure(fault, key);
}

function belittle(head: ObjectHead, fault: Fault | undefined): ObjectHead {
  if (fault?.type !== 'lie') return head;
  return { ...head, size: Math.max(0, head.size - fault.missingBytes) };
}

function cutSource(source: SegmentSource, afterBytes: number): SegmentSource {
  return {
    size: source.size,
    sizeIsBound: source.sizeIsBound,
    read: (range, options) => cutPieces(source.read(range, options), afterBytes),
  };
}

async function* cutPieces(
  pieces: AsyncIterable<Uint8Array>,
  afterBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  let left = afterBytes;
  for await (const piece of pieces) {
    if (piece.byteLength > left) {
      if (left > 0) yield piece.subarray(0, left);
      throw new RemoteStorageError('unavailable', `Injected: cut after ${afterBytes} bytes`);
    }
    left -= piece.byteLength;
    yield piece;
  }
}

// Holds back one piece, since the end shows only when it is there.
async function* shortened(
  pieces: AsyncIterable<Uint8Array>,
  missingBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  let held = new Uint8Array(0);
  for await (const piece of pieces) {
    const joined = new Uint8Array(held.byteLength + piece.byteLength);
    joined.set(held);
    joined.set(piece, held.byteLength);
    const free = Math.max(0, joined.byteLength - missingBytes);
    held = joined.slice(free);
    if (free > 0) yield joined.subarray(0, free);
  }
}
