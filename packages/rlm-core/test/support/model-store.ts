import type { Clock } from '@logloft/clock';
import {
  type ByteRange,
  type CallOptions,
  type CustomMetadata,
  clipByteRange,
  type IndexType,
  type LogSegmentData,
  type RemoteLogSegmentMetadata,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  type RemoteStorageManager,
  type SegmentSource,
} from '@logloft/remote-storage';

/** What goes wrong with a call; all but `hang` and `slow` reject. */
export type Fault =
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'fail'; readonly retryable: boolean }
  /** Writes a part, then fails. */
  | { readonly kind: 'half' };

export type StoreOperation = 'copy' | 'delete' | 'fetch' | 'index';

interface StoredSegment {
  readonly metadata: RemoteLogSegmentMetadata;
  readonly whole: boolean;
  readonly parts: ReadonlyMap<IndexType | 'LOG', Uint8Array>;
}

/** A remote store in memory, whose every call can be made slow, failing, half-done or endless. */
export class ModelStore implements RemoteStorageManager {
  readonly capabilities = {
    name: 'model',
    durable: true,
    paced: true,
    maxSegmentBytes: Number.MAX_SAFE_INTEGER,
  };
  readonly segments = new Map<string, StoredSegment>();
  readonly calls: string[] = [];
  /** Bytes of each range that was asked for. */
  bytesFetched = 0;
  customMetadata: CustomMetadata | undefined;
  /** Decides what goes wrong with a call. */
  faultOf: (operation: StoreOperation, segment: RemoteLogSegmentMetadata) => Fault | undefined =
    () => undefined;
  /** Called with each completed copy. */
  onCopied: (segment: RemoteLogSegmentMetadata) => void = () => undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata | undefined> {
    const { id } = segment.remoteLogSegmentId;
    const fault = await this.#enter('copy', segment, options);
    const log = await collect(data.log, options);
    if (fault?.kind === 'half') {
      this.segments.set(id, { metadata: segment, whole: false, parts: new Map([['LOG', log]]) });
      throw new RemoteStorageError('unavailable', 'the store broke off');
    }
    const parts = new Map<IndexType | 'LOG', Uint8Array>([['LOG', log]]);
    parts.set('OFFSET', await collect(data.offsetIndex, {}));
    parts.set('TIMESTAMP', await collect(data.timeIndex, {}));
    parts.set('PRODUCER_SNAPSHOT', await collect(data.producerSnapshot, {}));
    parts.set('LEADER_EPOCH', data.leaderEpochIndex);
    if (data.transactionIndex !== undefined) {
      parts.set('TRANSACTION', await collect(data.transactionIndex, {}));
    }
    options.signal?.throwIfAborted();
    this.segments.set(id, { metadata: segment, whole: true, parts });
    this.onCopied(segment);
    return this.customMetadata;
  }

  async fetchLogSegment(
    segment: RemoteLogSegmentMetadata,
    range: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    await this.#enter('fetch', segment, options);
    const log = this.#part(segment, 'LOG');
    const { start, length } = clipByteRange(range, log.length);
    this.bytesFetched += length;
    return bytesOf(log.subarray(start, start + length));
  }

  async fetchIndex(
    segment: RemoteLogSegmentMetadata,
    type: IndexType,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    await this.#enter('index', segment, options, type);
    return this.#part(segment, type);
  }

  async deleteLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    options: CallOptions = {},
  ): Promise<void> {
    const fault = await this.#enter('delete', segment, options);
    const { id } = segment.remoteLogSegmentId;
    const stored = this.segments.get(id);
    if (fault?.kind === 'half' && stored !== undefined) {
      this.segments.set(id, { ...stored, whole: false });
      throw new RemoteStorageError('unavailable', 'the store broke off');
    }
    this.segments.delete(id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #part(segment: RemoteLogSegmentMetadata, part: IndexType | 'LOG'): Uint8Array {
    const stored = this.segments.get(segment.remoteLogSegmentId.id);
    const bytes = stored?.whole === true ? stored.parts.get(part) : undefined;
    if (bytes === undefined) throw new RemoteResourceNotFoundError(`no ${part}`);
    return bytes;
  }

  /** @returns a fault that strikes half-way */
  async #enter(
    operation: StoreOperation,
    segment: RemoteLogSegmentMetadata,
    options: CallOptions,
    detail = '',
  ): Promise<Fault | undefined> {
    options.signal?.throwIfAborted();
    this.calls.push(`${operation}${detail && ` ${detail}`} ${segment.startOffset}`);
    const fault = this.faultOf(operation, segment);
    if (fault?.kind === 'hang') await new Promise<never>(() => undefined);
    if (fault?.kind === 'slow') await this.#sleep(fault.ms, options.signal);
    if (fault?.kind === 'fail') {
      const kind = fault.retryable ? 'unavailable' : 'denied';
      throw new RemoteStorageError(kind, 'the store refuses');
    }
    return fault;
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.#clock.setTimer(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 37) yield bytes.subarray(at, at + 37);
}

async function collect(source: SegmentSource, options: CallOptions): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  if (source.size === 0) return new Uint8Array(0);
  for await (const piece of source.read({ start: 0 })) {
    await options.pacer?.take(piece.length, { signal: options.signal });
    options.signal?.throwIfAborted();
    pieces.push(piece.slice());
    options.onProgress?.(piece.length);
  }
  return Buffer.concat(pieces);
}
