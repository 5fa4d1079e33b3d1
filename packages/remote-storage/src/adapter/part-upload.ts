import type { BufferPool } from '@logloft/bufferpool';
import type { CallOptions, Pacer } from '../call-options.ts';
import { RemoteStorageError } from '../errors.ts';
import type { SegmentSource } from '../log-segment-data.ts';
import { sourceSlices } from '../paced-slices.ts';
import { type RetryOptions, retry } from '../retry.ts';

/** A piece of an object, as large as the store likes its requests. */
export interface UploadPart {
  /** From 0. */
  readonly index: number;
  /** Bytes of the object before this part. */
  readonly offset: number;
  /** Valid until the promise of `send` settles; empty only for an object of no bytes. */
  readonly bytes: Buffer;
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
 * memory. The pacer is asked a part at a time. When one fails for good, or the signal aborts, the
 * others are stopped, and the promise settles when none is under way any more.
 *
 * @throws the first failure; the reason of `signal`; RemoteStorageError `corrupt` for a source that does
 *   not give what it promised
 */
export async function uploadParts(
  source: SegmentSource,
  options: PartUploadOptions,
): Promise<SentParts> {
  const upload = new PartUpload(options);
  return await upload.run(source);
}

class PartUpload {
  readonly #options: PartUploadOptions;
  readonly #partBytes: number;
  readonly #stop = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { readonly reason: unknown } | undefined;
  #parts = 0;
  #bytes = 0;

  constructor(options: PartUploadOptions) {
    this.#options = options;
    this.#partBytes = pacedPartBytes(options);
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
  // comes. That byte's slice is copied: its memory is the source's again with the next step.
  async #readAndSend(source: SegmentSource): Promise<void> {
    const { signal } = this.#stop;
    let buffer: Buffer | undefined;
    let filled = 0;
    try {
      for await (const slice of sourceSlices(source, { signal })) {
        let rest: Uint8Array = slice;
        while (rest.byteLength > 0) {
          if (buffer !== undefined && filled === buffer.byteLength) {
            const kept = Uint8Array.from(rest);
            const full = buffer;
            buffer = undefined;
            await this.#dispatch(full, filled, false);
            rest = kept;
          }
          if (buffer === undefined) {
            // While memory is waited for, the slice must stay what it is: it is not asked for the next.
            buffer = await this.#options.memory.allocate(this.#sizeFor(source), { signal });
            filled = 0;
          }
          const taken = Math.min(rest.byteLength, buffer.byteLength - filled);
          buffer.set(rest.subarray(0, taken), filled);
          filled += taken;
          rest = rest.subarray(taken);
        }
      }
      signal.throwIfAborted();
      const last = buffer ?? (await this.#options.memory.allocate(0, { signal }));
      buffer = undefined;
      await this.#dispatch(last, filled, true);
    } finally {
      if (buffer !== undefined) this.#options.memory.deallocate(buffer);
    }
  }

  // A small object takes no more memory than it has bytes.
  #sizeFor(source: SegmentSource): number {
    return Math.max(1, Math.min(this.#partBytes, source.size));
  }

  async #dispatch(buffer: Buffer, filled: number, isLast: boolean): Promise<void> {
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
    const { retry: again, send, onProgress } = this.#options;
    const { signal } = this.#stop;
    await retry({ ...again, signal }, async () => {
      signal.throwIfAborted();
      await send(part, signal);
    });
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

function pacedPartBytes({ partBytes, minPartBytes, pacer }: PartUploadOptions): number {
  const least = Math.min(minPartBytes ?? partBytes, partBytes);
  if (!(Number.isSafeInteger(partBytes) && partBytes > 0 && least > 0)) {
    throw new RemoteStorageError('invalid-configuration', `A part cannot have ${partBytes} bytes`);
  }
  const even = evenPartBytes(pacer);
  return Math.max(least, Math.min(partBytes, even));
}

function evenPartBytes(pacer: Pacer | undefined): number {
  const slice = pacer?.sliceBytes;
  if (slice === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor((slice * PACED_PART_MS) / MS_OF_A_SLICE);
}
