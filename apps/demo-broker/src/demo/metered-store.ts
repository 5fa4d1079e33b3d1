import type { Clock } from '@logloft/clock';
import type {
  ByteRange,
  CallOptions,
  ListOptions,
  ObjectHead,
  ObjectStore,
  ObjectStoreCapabilities,
  PutOptions,
  SegmentSource,
} from '@logloft/remote-storage';
import { FlowMeter } from './flow-meter.ts';

/** What passes between the broker and its remote store, measured at the store. */
export class StoreMeters {
  /** Bytes of segments that the store wrote; their indexes and manifests are not among them. */
  readonly segmentsWritten: FlowMeter;
  /** Bytes of segments that the store handed out. */
  readonly segmentsRead: FlowMeter;
  /** Bytes of indexes and manifests, either way. */
  readonly other: FlowMeter;

  constructor(clock: Clock) {
    this.segmentsWritten = new FlowMeter(clock);
    this.segmentsRead = new FlowMeter(clock);
    this.other = new FlowMeter(clock);
  }
}

/** The key of a segment's data in the layout; the other objects are small. */
const SEGMENT_KEY_END = '.log';

/** A store that does what another does, and counts the bytes. */
export class MeteredObjectStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly #meters: StoreMeters;

  constructor(store: ObjectStore, meters: StoreMeters) {
    this.#store = store;
    this.#meters = meters;
  }

  get capabilities(): ObjectStoreCapabilities {
    return this.#store.capabilities;
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const meter = this.#meterFor(key, this.#meters.segmentsWritten);
    const onProgress = (bytes: number): void => {
      meter.add(bytes);
      options.onProgress?.(bytes);
    };
    await this.#store.put(key, source, { ...options, onProgress });
  }

  async get(
    key: string,
    range?: ByteRange,
    options?: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    const meter = this.#meterFor(key, this.#meters.segmentsRead);
    return counted(await this.#store.get(key, range, options), meter);
  }

  async head(key: string, options?: CallOptions): Promise<ObjectHead> {
    return await this.#store.head(key, options);
  }

  async delete(keys: readonly string[], options?: CallOptions): Promise<void> {
    await this.#store.delete(keys, options);
  }

  list(options?: ListOptions): AsyncIterable<ObjectHead> {
    return this.#store.list(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  #meterFor(key: string, ofSegments: FlowMeter): FlowMeter {
    return key.endsWith(SEGMENT_KEY_END) ? ofSegments : this.#meters.other;
  }
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  meter: FlowMeter,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    meter.add(piece.byteLength);
    yield piece;
  }
}
