import { BytePacer } from '@logloft/quota';
import type { CallOptions } from '../call-options.ts';
import type { GuardedObjectStoreContext } from '../guarded-object-store.ts';
import type { LogSegmentData, SegmentSource } from '../log-segment-data.ts';
import type { ObjectStore } from '../object-store.ts';
import type { CustomMetadata, RemoteLogSegmentMetadata } from '../segment-metadata.ts';
import type { KeyRing } from '../transform/key-ring.ts';
import { SegmentEncryptor } from '../transform/segment-encryptor.ts';
import { Watchdog } from '../watchdog.ts';
import { isFirstBatchCompressed } from './first-batch.ts';
import { KeptFields } from './kept-fields.ts';
import type { LayoutOptions } from './layout-options.ts';
import { pacerInFront } from './pacer-in-front.ts';
import { type SegmentKeys, segmentKeys, segmentMainPath } from './segment-key.ts';
import type { SegmentRemover } from './segment-remover.ts';
import { type SegmentToWrite, writeSegment } from './segment-writer.ts';

/** Bytes of a chunk where nothing else is asked for. */
export const DEFAULT_CHUNK_BYTES: number = 4 * 1024 * 1024;

const DAY_MS = 86_400_000;

/** What a {@link SegmentCopier} works with. */
export interface SegmentCopierParts {
  readonly store: ObjectStore;
  readonly remover: SegmentRemover;
  readonly keyRing: KeyRing;
  readonly context: GuardedObjectStoreContext;
}

/** Copies segments into a store: decides how, writes the objects, and cleans up after a failure. */
export class SegmentCopier {
  readonly #parts: SegmentCopierParts;
  readonly #options: LayoutOptions;
  readonly #kept: KeptFields;
  readonly #sharedPacer: BytePacer | undefined;

  /** @throws RemoteStorageError `invalid-configuration` for fields that the catalogue cannot keep */
  constructor(options: LayoutOptions, parts: SegmentCopierParts) {
    const { uploadBytesPerSecond } = options;
    this.#parts = parts;
    this.#options = options;
    this.#kept = new KeptFields(options.customMetadataFields ?? [], options.keyPrefix ?? '');
    if (uploadBytesPerSecond !== undefined) {
      const { clock } = parts.context;
      this.#sharedPacer = new BytePacer({ clock, limit: uploadBytesPerSecond });
    }
  }

  /** As `copyLogSegmentData` of the contract. */
  async copy(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions,
  ): Promise<CustomMetadata | undefined> {
    const {
      keyPrefix = '',
      copyTimeoutMs = DAY_MS,
      chunkBytes = DEFAULT_CHUNK_BYTES,
    } = this.#options;
    const mainPath = segmentMainPath(segment);
    const keys = segmentKeys(keyPrefix, mainPath);
    const { clock } = this.#parts.context;
    const watchdog = new Watchdog({
      clock,
      action: 'Copying the segment',
      key: keys.log,
      deadlineMs: copyTimeoutMs,
      signals: [options.signal],
    });
    const { signal } = watchdog;
    try {
      signal.throwIfAborted();
      const isCompressed = await watchdog.run(() => this.#isToCompress(data.log, keys.log, signal));
      const removeEarlier = await this.#unpublish(keys, signal);
      const encryptor = this.#encryptor();
      const what = { keys, segment, data, chunkBytes, isCompressed, encryptor, removeEarlier };
      const remoteSize = await this.#write(what, { ...options, signal });
      return this.#kept.encode({ remoteSize, objectPrefix: keyPrefix, objectKey: mainPath });
    } finally {
      watchdog.close();
    }
  }

  /** Lets those go who wait for the rate limit. */
  async close(): Promise<void> {
    await this.#sharedPacer?.close();
  }

  // A second copy under an id takes the first one back, so that no mixture of both is seen. A store with
  // conditional writes tells by the first of them whether there is one; all others are asked before.
  async #unpublish(
    keys: SegmentKeys,
    signal: AbortSignal,
  ): Promise<(() => Promise<void>) | undefined> {
    const { store, remover } = this.#parts;
    if (!store.capabilities.conditionalPut) {
      await remover.unpublish(keys, signal);
      return undefined;
    }
    remover.forget(keys);
    return () => remover.remove(keys, signal);
  }

  #encryptor(): SegmentEncryptor | undefined {
    const { keyRing, context } = this.#parts;
    const { encryption } = this.#options;
    const isEncrypted = encryption !== undefined && encryption.enabled !== false;
    return isEncrypted ? new SegmentEncryptor(keyRing, context.random) : undefined;
  }

  async #isToCompress(log: SegmentSource, key: string, signal: AbortSignal): Promise<boolean> {
    const { compressionEnabled = false, compressionHeuristicEnabled = false } = this.#options;
    if (!compressionEnabled || !compressionHeuristicEnabled) return compressionEnabled;
    const isCompressed = await isFirstBatchCompressed(log, signal);
    if (isCompressed !== undefined) return !isCompressed;
    this.#parts.context.logger.warn(
      'The log does not begin with a record batch; it is stored without compression',
      { key },
    );
    return false;
  }

  async #write(what: SegmentToWrite, options: CallOptions): Promise<number> {
    const { store, remover, context } = this.#parts;
    const pacer =
      this.#sharedPacer === undefined
        ? options.pacer
        : pacerInFront(this.#sharedPacer, options.pacer);
    try {
      return await writeSegment(store, what, { ...options, pacer });
    } catch (error) {
      // By its own time, not by the caller's signal: that may be what stopped the copy.
      await remover.remove(what.keys, undefined).catch((failure: unknown) =>
        context.logger.warn('Objects of a failed copy could not be removed', {
          key: what.keys.log,
          error: failure,
        }),
      );
      throw error;
    }
  }
}
