import {
  type ByteRange,
  type CallOptions,
  clipByteRange,
  type ListOptions,
  memorySource,
  type ObjectHead,
  type PutOptions,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  type SegmentSource,
} from '@logloft/remote-storage';
import { cut, ReferenceObjectStore } from './reference-object-store.ts';

/** Shows an object while it is still being written. */
export class GrowingObjects extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.check(options, key);
    if (options.ifAbsent) this.refuseExisting(key);
    let written = new Uint8Array(0);
    this.objects.set(key, written);
    for await (const piece of source.read({ start: 0 }, options)) {
      written = Uint8Array.from(Buffer.concat([written, piece]));
      this.objects.set(key, written);
    }
  }
}

/** Keeps what was written before the source failed. */
export class KeepsHalves extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.check(options, key);
    let written = new Uint8Array(0);
    try {
      for await (const piece of source.read({ start: 0 }, options)) {
        written = Uint8Array.from(Buffer.concat([written, piece]));
      }
    } finally {
      this.objects.set(key, written);
    }
  }
}

/** Takes the end of a range as exclusive. */
export class ExclusiveEnds extends ReferenceObjectStore {
  protected override pieces(
    bytes: Uint8Array,
    range: ByteRange | undefined,
  ): AsyncIterable<Uint8Array> {
    if (range?.end === undefined) return super.pieces(bytes, range);
    const { start, length } = clipByteRange(range, bytes.byteLength);
    return cut(bytes.subarray(start, start + length - 1));
  }
}

/** Takes a range beyond the end as one of no bytes. */
export class NothingBeyondTheEnd extends ReferenceObjectStore {
  protected override pieces(
    bytes: Uint8Array,
    range: ByteRange | undefined,
  ): AsyncIterable<Uint8Array> {
    return range !== undefined && range.start >= bytes.byteLength
      ? cut(new Uint8Array(0))
      : super.pieces(bytes, range);
  }
}

/** Fails to delete what is not there. */
export class StrictDelete extends ReferenceObjectStore {
  override async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    this.check(options, ...keys);
    for (const key of keys) {
      if (!this.objects.delete(key)) throw new RemoteResourceNotFoundError('missing', { key });
    }
  }
}

/** Deletes by prefix. */
export class GreedyDelete extends ReferenceObjectStore {
  override async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    this.check(options, ...keys);
    for (const key of this.objects.keys()) {
      if (keys.some((prefix) => key.startsWith(prefix))) this.objects.delete(key);
    }
  }
}

/** Loses the signal on the way to the source. */
export class DeafPut extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await super.put(key, source, { ...options, signal: undefined });
  }
}

/** Loses the signal once the first piece is on its way. */
export class DeafGet extends ReferenceObjectStore {
  override async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    this.check(options, key);
    return await super.get(key, range, { ...options, signal: undefined });
  }
}

/** Ends an object early without a word. */
export class SilentTruncation extends ReferenceObjectStore {
  protected override pieces(
    bytes: Uint8Array,
    range: ByteRange | undefined,
  ): AsyncIterable<Uint8Array> {
    return super.pieces(bytes.subarray(0, 150_000), range);
  }
}

/** Stores whatever the source gives, however much was promised. */
export class TrustsTheSource extends ReferenceObjectStore {
  protected override async readAll(
    source: SegmentSource,
    options: PutOptions,
  ): Promise<Uint8Array> {
    const kept: Uint8Array[] = [];
    for await (const piece of source.read({ start: 0 }, options)) kept.push(Uint8Array.from(piece));
    return Uint8Array.from(Buffer.concat(kept));
  }
}

/** Leaves a listener on the signal of every call. */
export class LeavesListeners extends ReferenceObjectStore {
  override async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    options.signal?.addEventListener('abort', () => undefined);
    return await super.head(key, options);
  }
}

/** Reports what is missing by an error of its own making. */
export class PlainErrors extends ReferenceObjectStore {
  protected override find(key: string): Uint8Array {
    const bytes = this.objects.get(key);
    if (bytes === undefined) throw new Error('NoSuchKey');
    return bytes;
  }
}

/** Asks whether a key is free long before it takes it. */
export class RacyCondition extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.check(options, key);
    if (options.ifAbsent) this.refuseExisting(key);
    await super.put(key, source, { ...options, ifAbsent: false });
  }
}

/** Overwrites although it was asked not to, and does not say that it cannot know. */
export class IgnoresCondition extends ReferenceObjectStore {
  constructor() {
    super({ conditionalPut: false });
  }

  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await super.put(key, source, { ...options, ifAbsent: false });
  }
}

/** Lists in the order of UTF-16, and so wrongly beyond U+FFFF. */
export class ListsByCodeUnit extends ReferenceObjectStore {
  override async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    this.check(options);
    for (const key of [...this.objects.keys()].sort()) {
      if (!key.startsWith(options.prefix ?? '')) continue;
      yield { key, size: this.objects.get(key)?.byteLength ?? 0 };
    }
  }
}

/** Forgets the last object of every listing. */
export class ShortLists extends ReferenceObjectStore {
  override async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    let held: ObjectHead | undefined;
    for await (const head of super.list(options)) {
      if (held !== undefined) yield held;
      held = head;
    }
  }
}

/** Says that it paces, and takes everything at once. */
export class UnpacedPut extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await options.pacer?.take(source.size, { signal: options.signal });
    await super.put(key, source, { ...options, pacer: undefined });
  }
}

/** Works on after it was disposed of. */
export class Undead extends ReferenceObjectStore {
  override async [Symbol.asyncDispose](): Promise<void> {
    // Nothing: that is the fault.
  }
}

/** Takes keys as a file system would, and walks out of its root. */
export class TrustsKeys extends ReferenceObjectStore {
  protected override check(options: CallOptions): void {
    super.check(options);
  }
}

/** Appends to an object that exists. */
export class Appends extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const old = this.objects.get(key) ?? new Uint8Array(0);
    await super.put(key, source, options);
    const fresh = this.objects.get(key) ?? new Uint8Array(0);
    this.objects.set(key, Uint8Array.from(Buffer.concat([old, fresh])));
  }
}

/** Uses up something with each read that is broken off. */
export class LeaksReaders extends ReferenceObjectStore {
  #open = 0;

  override async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    if (this.#open >= 50) throw new RemoteStorageError('throttled', 'no connection is free');
    const pieces = await super.get(key, range, options);
    this.#open += 1;
    const finished = (): void => {
      this.#open -= 1;
    };
    return (async function* () {
      yield* pieces;
      finished();
    })();
  }
}

/** Writes from memory that another object is written from, too. */
export class SharesBuffers extends ReferenceObjectStore {
  readonly #buffer = new Uint8Array(4_000_000);

  protected override async readAll(
    source: SegmentSource,
    options: PutOptions,
  ): Promise<Uint8Array> {
    const bytes = await super.readAll(source, options);
    this.#buffer.set(bytes);
    return this.#buffer.subarray(0, bytes.byteLength);
  }
}

/** Says `head` sizes that are one too small. */
export class WrongSizes extends ReferenceObjectStore {
  override async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    const { size } = await super.head(key, options);
    return { key, size: Math.max(0, size - 1) };
  }
}

/** Counts the bytes of a put twice. */
export class CountsTwice extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await super.put(key, source, options);
    options.onProgress?.(source.size);
  }
}

/** Confuses keys that differ in case only. */
export class NormalisesKeys extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await super.put(key.replaceAll('%', '_').normalize('NFD'), source, options);
  }
}

/** Makes an object of no bytes when the source has none, and one byte otherwise wrong. */
export class FlipsABit extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const bytes = await this.readAll(source, options);
    const flipped = Uint8Array.from(bytes);
    const last = flipped.byteLength - 1;
    if (last >= 0) flipped[last] = (flipped[last] ?? 0) ^ 1;
    await super.put(key, memorySource(flipped), { ifAbsent: options.ifAbsent });
  }
}

/** Undoes escapes that nobody made. */
export class UnescapesKeys extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await super.put(key.replaceAll('%20', ' '), source, options);
  }

  protected override find(key: string): Uint8Array {
    return super.find(key.replaceAll('%20', ' '));
  }
}

/** Deletes no more keys than fit into one request. */
export class DeletesOneBatch extends ReferenceObjectStore {
  override async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    await super.delete(keys.slice(0, 10), options);
  }
}
