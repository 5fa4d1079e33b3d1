import type { BufferPool } from '@logloft/bufferpool';
import type { CallOptions, Pacer } from '../call-options.ts';
import { RemoteStorageError } from '../errors.ts';
import type { SegmentSource } from '../log-segment-data.ts';
import { memoryFailure } from '../memory-failure.ts';
import { sourceSlices } from '../paced-slices.ts';
import { type RetryOptions, retry } from '../retry.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { Patience } from './patience.ts';
import type { RequestBrake } from './request-brake.ts';

/** A piece of an object, as large as the store likes its requests. */
export interface UploadPart {
  /** From 0. */
  readonly index: number;
  /** Bytes of the object before this part. */
  readonly offset: number;
  /** Valid until the promise of `send` settles; empty only for an object of no bytes. */
  readonly bytes: Buffer;
  /** What {@link PartUploadOptions.checksum} made of its bytes; 0 without that. */
  readonly checksum: number;
  /** Whether the object ends with it. A part that is first and last is the whole object. */
  readonly isLast: boolean;
}

/** How {@link uploadParts} cuts and sends. */
export interface PartUploadOptions extends CallOptions {
  /** Bytes of every part but the last. */
  readonly partBytes: number;
  /** Smallest part in bytes to which a slow pacer may shrink them. Default `partBytes`. */
  readonly minPartBytes?: number | undefined;
  /** Most parts being sent at one time, >= 1. With 1 they are sent in order, one after the other. */
  readonly maxInFlight: number;
  /** Where the memory of the parts comes from, shared by all uploads of a store. */
  readonly memory: BufferPool;
  /**
   * Adds bytes of a part to its checksum, slice by slice as they come, so that no part is gone through
   * at one time. `before` is 0 where a part begins.
   */
  readonly checksum?: ((bytes: Uint8Array, before: number) => number) | undefined;
  /** Lets fewer parts go while the store is throttled; one for all uploads of a store. Default none. */
  readonly brake?: RequestBrake | undefined;
  /** How a part that failed is sent again, from memory. */
  readonly retry: Omit<RetryOptions, 'signal'>;
  /** Sends one part. Listens to the signal, which also aborts when another part has failed for good. */
  readonly send: (part: UploadPart, signal: AbortSignal) => Promise<void>;
}

/** What was sent. */
export interface SentParts {
  readonly bytes: number;
  readonly parts: number;
}

// A slow pacer's parts last about this long, so that no burst is longer.
const PACED_PART_MS = 1_000;
const MS_OF_A_SLICE = 5;

/**
 * Sends a source in parts: read ahead into pooled buffers, several in flight, each retried from
 * memory. The pacer is asked a part at a time. While it only waits (for memory, for its turn, for the
 * next attempt), progress of 0 bytes is reported every 5 s. When one fails for good, or the signal aborts, the
 * others are stopped, and the promise settles when none is under way any more; a source that does not
 * answer is not waited for. All parts but the last have the same size.
 *
 * @throws the first failure; the reason of `signal`; RemoteStorageError `corrupt` for a source that does
 *   not give what it promised, `invalid-configuration` for sizes and counts that cannot be, and for
 *   parts that the memory can never hold
 */
export async function uploadParts(
  source: SegmentSource,
  options: PartUploadOptions,
): Promise<SentParts> {
  const upload = new PartUpload(options);
  return await upload.run(source);
}

interface FilledPart {
  readonly filled: number;
  readonly checksum: number;
  readonly isLast: boolean;
}

class PartUpload {
  readonly #options: PartUploadOptions;
  readonly #partBytes: number;
  readonly #stop = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #patience: Patience;
  #failure: { readonly reason: unknown } | undefined;
  #parts = 0;
  #bytes = 0;

  constructor(options: PartUploadOptions) {
    this.#options = options;
    this.#partBytes = pacedPartBytes(options);
    const { retry: again, onProgress } = options;
    this.#patience = new Patience({ clock: again.clock, onWait: () => onProgress?.(0) });
  }

  async run(source: SegmentSource): Promise<SentParts> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const onAbort = (): void => this.#fail(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#readAndSend(source);
    } catch (error) {
      this.#fail(error);
    } finally {
      await Promise.allSettled(this.#inFlight);
      signal?.removeEventListener('abort', onAbort);
    }
    if (this.#failure !== undefined) throw this.#failure.reason;
    return { bytes: this.#bytes, parts: this.#parts };
  }

  // The last part is known when the source has ended; so a full part is held back until another byte
  // comes. While it waits for its turn or for memory, the slice at hand stays what it is, since the
  // source is not asked for the next.
  async #readAndSend(source: SegmentSource): Promise<void> {
    const { memory } = this.#options;
    const { signal } = this.#stop;
    const wholeBytes = Math.max(1, Math.min(this.#partBytes, source.size));
    const { checksum = withoutChecksum } = this.#options;
    let buffer: Buffer | undefined;
    let filled = 0;
    let sum = 0;
    try {
      for await (const slice of undelayed(sourceSlices(source, { signal }), signal)) {
        let at = 0;
        while (at < slice.byteLength) {
          if (buffer !== undefined && filled === wholeBytes) {
            const full = buffer;
            buffer = undefined;
            await this.#dispatch(full, { filled, checksum: sum, isLast: false });
          }
          if (buffer === undefined) {
            buffer = await this.#takeMemory(wholeBytes);
            filled = 0;
            sum = 0;
          }
          const taken = slice.subarray(at, at + wholeBytes - filled);
          buffer.set(taken, filled);
          sum = checksum(taken, sum);
          filled += taken.byteLength;
          at += taken.byteLength;
        }
      }
      signal.throwIfAborted();
      const last = buffer ?? (await this.#takeMemory(0));
      buffer = undefined;
      await this.#dispatch(last, { filled, checksum: sum, isLast: true });
    } finally {
      if (buffer !== undefined) memory.deallocate(buffer);
    }
  }

  // For as long as it takes: nothing is held meanwhile that others could be waiting for.
  async #takeMemory(bytes: number): Promise<Buffer> {
    const { signal } = this.#stop;
    const maxBlockMs = Number.POSITIVE_INFINITY;
    try {
      return await this.#patience.during(() =>
        this.#options.memory.allocate(bytes, { signal, maxBlockMs }),
      );
    } catch (error) {
      throw memoryFailure(error, 'A part of an upload');
    }
  }

  async #dispatch(buffer: Buffer, { filled, checksum, isLast }: FilledPart): Promise<void> {
    const { pacer, maxInFlight, memory } = this.#options;
    const { signal } = this.#stop;
    try {
      await this.#roomFor(maxInFlight);
      if (filled > 0) await pacer?.take(filled, { signal });
      signal.throwIfAborted();
    } catch (error) {
      memory.deallocate(buffer);
      throw error;
    }
    const part: UploadPart = {
      index: this.#parts,
      offset: this.#bytes,
      bytes: buffer.subarray(0, filled),
      checksum,
      isLast,
    };
    this.#parts += 1;
    this.#bytes += filled;
    const sending: Promise<void> = this.#send(part)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        memory.deallocate(buffer);
        this.#inFlight.delete(sending);
      });
    this.#inFlight.add(sending);
  }

  async #send(part: UploadPart): Promise<void> {
    const { retry: again, send, brake, onProgress } = this.#options;
    const { signal } = this.#stop;
    const once = (): Promise<void> => this.#patience.working(() => send(part, signal));
    await this.#patience.during(() =>
      retry({ ...again, signal }, async () => {
        signal.throwIfAborted();
        await (brake === undefined ? once() : brake.run(once, signal));
      }),
    );
    if (part.bytes.byteLength > 0) onProgress?.(part.bytes.byteLength);
  }

  async #roomFor(maxInFlight: number): Promise<void> {
    while (this.#inFlight.size >= maxInFlight) {
      await Promise.race(this.#inFlight);
      this.#stop.signal.throwIfAborted();
    }
  }

  #fail(reason: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { reason };
    this.#stop.abort(reason);
  }
}

function withoutChecksum(): number {
  return 0;
}

// A generator whose source does not answer cannot be ended; it is left to end itself when it does.
async function* undelayed(
  slices: AsyncGenerator<Uint8Array, void, void>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (;;) {
      const result = await unlessAborted(slices.next(), signal);
      if (result.done) return;
      yield result.value;
    }
  } finally {
    const ended = slices.return();
    if (signal.aborted) ended.catch(() => undefined);
    else await ended;
  }
}

function pacedPartBytes(options: PartUploadOptions): number {
  const { partBytes, minPartBytes, maxInFlight, pacer } = options;
  const least = Math.min(minPartBytes ?? partBytes, partBytes);
  if (!(Number.isSafeInteger(partBytes) && Number.isSafeInteger(least) && least > 0)) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `Parts must have a positive number of bytes, got ${partBytes}, at least ${least}`,
    );
  }
  if (!(maxInFlight >= 1)) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `At least one part must be allowed in flight, got ${maxInFlight}`,
    );
  }
  const even = evenPartBytes(pacer);
  return Math.max(least, Math.min(partBytes, even));
}

function evenPartBytes(pacer: Pacer | undefined): number {
  const slice = pacer?.sliceBytes;
  if (slice === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor((slice * PACED_PART_MS) / MS_OF_A_SLICE);
}
