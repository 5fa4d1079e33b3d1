import { createHash } from 'node:crypto';
import type { BlockBlobClient } from '@azure/storage-blob';
import {
  isRemoteStorageError,
  type PartUploadOptions,
  Patience,
  type PutOptions,
  RemoteStorageError,
  type RequestBrake,
  retry,
  type SegmentSource,
  type UploadPart,
  uploadParts,
} from '@logloft/remote-storage';
import { MAX_BLOCKS, MIN_BLOCK_BYTES } from './azure-settings.ts';
import type { BlobCall, BlobRequests } from './blob-requests.ts';
import { failureFacts } from './failure-facts.ts';

// Said in the blob's metadata, so that a writer recognises its own object after a lost answer. Only
// letters: some proxies drop headers with other signs in their names.
const UPLOAD_ID = 'logloftupload';

const ACTION = 'Writing the object';

// How often an upload begins anew because another writer of the same object was faster.
const MAX_UPLOADS = 6;

/** Where an object is written. */
export interface BlobToWrite {
  readonly key: string;
  readonly requests: BlobRequests;
  /** Buffers of the blocks, shared by all uploads of the store. */
  readonly memory: PartUploadOptions['memory'];
  /** Shared by all uploads. */
  readonly brake: RequestBrake;
}

/**
 * Writes an object: in one request if it fits into a block, else in blocks that a last request makes an
 * object of. Before that request nothing of it is visible; blocks that were sent in vain vanish after a
 * week, since the service has no way to remove them.
 */
export async function writeBlob(
  what: BlobToWrite,
  source: SegmentSource,
  options: PutOptions,
): Promise<void> {
  let reported = 0;
  for (let attempt = 1; ; attempt += 1) {
    let done = 0;
    // What is sent once more is no progress.
    const onProgress = (bytes: number): void => {
      done += bytes;
      options.onProgress?.(Math.max(0, done - reported));
      reported = Math.max(reported, done);
    };
    const raced = await new BlobUpload(what, { ...options, onProgress }).run(source);
    if (raced === undefined) return;
    if (attempt === MAX_UPLOADS) throw raced;
  }
}

class BlobUpload {
  readonly #what: BlobToWrite;
  readonly #options: PutOptions;
  readonly #blob: BlockBlobClient;
  readonly #uploadId: string;
  // Whether an attempt to make it visible ended without an answer.
  #isUncertain = false;

  constructor(what: BlobToWrite, options: PutOptions) {
    const { requests, key } = what;
    this.#what = what;
    this.#options = options;
    this.#blob = requests.container.getBlockBlobClient(key);
    this.#uploadId = Buffer.from(requests.random.fill(new Uint8Array(16))).toString('hex');
  }

  /** @returns why it must begin anew, where it lost all its blocks to a writer that was faster */
  async run(source: SegmentSource): Promise<RemoteStorageError | undefined> {
    try {
      return await this.#send(source);
    } catch (error) {
      // Whoever tries again as a whole would take the object for somebody else's.
      if (this.#isUncertain && (await this.#isOurs().catch(() => false))) return undefined;
      throw error;
    }
  }

  async #send(source: SegmentSource): Promise<RemoteStorageError | undefined> {
    const { requests, memory, brake, key } = this.#what;
    const { signal, pacer, onProgress } = this.#options;
    const { blockBytes, blocksInFlight } = requests.tuning;
    const leastBytes = Math.ceil(source.size / MAX_BLOCKS);
    const { parts } = await uploadParts(source, {
      signal,
      pacer,
      onProgress,
      memory,
      brake,
      partBytes: Math.max(blockBytes, leastBytes),
      minPartBytes: Math.max(MIN_BLOCK_BYTES, leastBytes),
      maxInFlight: blocksInFlight,
      retry: requests.retrying(ACTION, key),
      send: (part, inner) =>
        part.isLast && part.index === 0 ? this.#sendWhole(part, inner) : this.#stage(part, inner),
    });
    if (parts === 1) return undefined;
    const again = { ...requests.retrying(ACTION, key), signal };
    const onWait = (): void => onProgress?.(0);
    const patience = new Patience({ clock: requests.clock, onWait });
    return await patience.during(() => retry(again, () => this.#commit(parts)));
  }

  async #sendWhole({ bytes }: UploadPart, signal: AbortSignal): Promise<void> {
    const { requests } = this.#what;
    await this.#publish(() =>
      requests.run(this.#call(signal, bytes), (abortSignal) =>
        this.#blob.upload(bytes, bytes.byteLength, {
          ...this.#asWanted(),
          abortSignal,
          ...this.#digest(bytes),
        }),
      ),
    );
  }

  async #stage({ index, bytes }: UploadPart, signal: AbortSignal): Promise<void> {
    await this.#what.requests.run(this.#call(signal, bytes), (abortSignal) =>
      this.#blob.stageBlock(this.#blockId(index), bytes, bytes.byteLength, {
        abortSignal,
        ...this.#digest(bytes),
      }),
    );
  }

  async #commit(blocks: number): Promise<RemoteStorageError | undefined> {
    const ids = Array.from({ length: blocks }, (_, index) => this.#blockId(index));
    try {
      await this.#publish(() =>
        this.#what.requests.run(this.#call(this.#options.signal), (abortSignal) =>
          this.#blob.commitBlockList(ids, { ...this.#asWanted(), abortSignal }),
        ),
      );
      return undefined;
    } catch (error) {
      if (!isRaced(error)) throw error;
      return error;
    }
  }

  // A conflict may be with ourselves: the answer to an earlier attempt was lost, but not its effect.
  async #publish(send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(this.#options.ifAbsent && isRemoteStorageError(error))) throw error;
      this.#isUncertain ||= error.retryable && error.kind !== 'throttled';
      if (error.kind !== 'precondition' || !(await this.#isOurs())) throw error;
    }
  }

  async #isOurs(): Promise<boolean> {
    const { requests } = this.#what;
    const again = { ...requests.retrying(ACTION, this.#what.key), signal: this.#options.signal };
    const { metadata = {} } = await retry(again, () =>
      requests.run(this.#call(this.#options.signal), (abortSignal) =>
        this.#blob.getProperties({ abortSignal }),
      ),
    );
    return metadata[UPLOAD_ID] === this.#uploadId;
  }

  // All ids of an object must have one length. Those of two uploads of one key differ, so that the second
  // never takes a block of the first for its own.
  #blockId(index: number): string {
    const number = String(index).padStart(6, '0');
    return Buffer.from(`${this.#uploadId}-${number}`).toString('base64');
  }

  #asWanted(): {
    readonly conditions?: { readonly ifNoneMatch: '*' };
    readonly metadata?: Record<string, string>;
  } {
    if (!this.#options.ifAbsent) return {};
    return { conditions: { ifNoneMatch: '*' }, metadata: { [UPLOAD_ID]: this.#uploadId } };
  }

  #digest(bytes: Uint8Array): { readonly transactionalContentMD5?: Uint8Array } {
    if (this.#what.requests.tuning.checksum === 'none') return {};
    return { transactionalContentMD5: createHash('md5').update(bytes).digest() };
  }

  #call(signal: AbortSignal | undefined, bytes?: Uint8Array): BlobCall {
    const { onProgress } = this.#options;
    return {
      action: ACTION,
      key: this.#what.key,
      signal,
      bodyBytes: bytes?.byteLength,
      // Nothing is done yet, but the bytes move: nobody is to take a slow line for a dead one.
      onMoved: onProgress === undefined ? undefined : () => onProgress(0),
    };
  }
}

// Writers of one key share its blocks until one of them commits; then those of all others are gone.
function isRaced(error: unknown): error is RemoteStorageError {
  return isRemoteStorageError(error) && failureFacts(error.cause).code === 'InvalidBlockList';
}

/** @throws RemoteStorageError `invalid-configuration` when an object is too large */
export function assertObjectSize(key: string, bytes: number, maxBytes: number): void {
  if (Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= maxBytes) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `The object ${JSON.stringify(key)} has ${bytes} bytes, at most ${maxBytes} can be stored; raise azure.upload.memory.bytes`,
    { key },
  );
}
