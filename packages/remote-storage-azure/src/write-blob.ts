import { createHash } from 'node:crypto';
import type { BlockBlobClient } from '@azure/storage-blob';
import {
  isRemoteStorageError,
  type PartUploadOptions,
  type PutOptions,
  RemoteStorageError,
  retry,
  type SegmentSource,
  type UploadPart,
  uploadParts,
} from '@logloft/remote-storage';
import { MAX_BLOCKS, MIN_BLOCK_BYTES } from './azure-settings.ts';
import type { BlobCall, BlobRequests } from './blob-requests.ts';

// Said in the blob's metadata, so that a writer recognises its own object after a lost answer. Only
// letters: some proxies drop headers with other signs in their names.
const UPLOAD_ID = 'logloftupload';

const ACTION = 'Writing the object';

/** Where an object is written. */
export interface BlobToWrite {
  readonly key: string;
  readonly requests: BlobRequests;
  /** Buffers of the blocks, shared by all uploads of the store. */
  readonly memory: PartUploadOptions['memory'];
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
  await new BlobUpload(what, options).run(source);
}

class BlobUpload {
  readonly #what: BlobToWrite;
  readonly #options: PutOptions;
  readonly #blob: BlockBlobClient;
  readonly #uploadId: string;

  constructor(what: BlobToWrite, options: PutOptions) {
    const { requests, key } = what;
    this.#what = what;
    this.#options = options;
    this.#blob = requests.container.getBlockBlobClient(key);
    this.#uploadId = Buffer.from(requests.random.fill(new Uint8Array(16))).toString('hex');
  }

  async run(source: SegmentSource): Promise<void> {
    const { requests, memory, key } = this.#what;
    const { signal, pacer, onProgress } = this.#options;
    const { blockBytes, blocksInFlight } = requests.tuning;
    const leastBytes = Math.ceil(source.size / MAX_BLOCKS);
    const { parts } = await uploadParts(source, {
      signal,
      pacer,
      onProgress,
      memory,
      partBytes: Math.max(blockBytes, leastBytes),
      minPartBytes: Math.max(MIN_BLOCK_BYTES, leastBytes),
      maxInFlight: blocksInFlight,
      retry: requests.retrying(ACTION, key),
      send: (part, inner) =>
        part.isLast && part.index === 0 ? this.#sendWhole(part, inner) : this.#stage(part, inner),
    });
    if (parts === 1) return;
    const again = { ...requests.retrying(ACTION, key), signal };
    await retry(again, () => this.#commit(parts));
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

  async #commit(blocks: number): Promise<void> {
    const ids = Array.from({ length: blocks }, (_, index) => this.#blockId(index));
    await this.#publish(() =>
      this.#what.requests.run(this.#call(this.#options.signal), (abortSignal) =>
        this.#blob.commitBlockList(ids, { ...this.#asWanted(), abortSignal }),
      ),
    );
  }

  // A conflict may be with ourselves: the answer to an earlier attempt was lost, but not its effect.
  async #publish(send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(this.#options.ifAbsent && isRemoteStorageError(error))) throw error;
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

/** @throws RemoteStorageError `invalid-configuration` when an object is too large */
export function assertObjectSize(key: string, bytes: number, maxBytes: number): void {
  if (Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= maxBytes) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `The object ${JSON.stringify(key)} has ${bytes} bytes, at most ${maxBytes} can be stored; raise azure.upload.memory.bytes`,
    { key },
  );
}
