import { crc32 } from 'node:zlib';
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import {
  isRemoteStorageError,
  Patience,
  type PutOptions,
  type partMemory,
  RemoteStorageError,
  type RequestBrake,
  type SegmentSource,
  type UploadPart,
  uploadParts,
  withDeadline,
} from '@logloft/remote-storage';
import { crc32Text } from '../crc32-combine.ts';
import { isNoSuchUpload } from '../errors/s3-error.ts';
import { headObject } from '../read/head-object.ts';
import type { CallSettings, S3Calls } from '../s3-calls.ts';
import {
  MAX_PARTS,
  MIN_PART_BYTES,
  type ResolvedS3Settings,
  type S3ObjectStoreContext,
} from '../s3-settings.ts';
import { tuned } from '../tuned-command.ts';
import { MultipartUpload } from './multipart-upload.ts';
import type { ConditionalWrite, UnsettledWrites } from './unsettled-writes.ts';
import { UploadSums } from './upload-sums.ts';

/** What all writes of a store share. */
export interface WriterContext extends Pick<S3ObjectStoreContext, 'clock' | 'logger' | 'random'> {
  readonly client: S3Client;
  readonly calls: S3Calls;
  readonly settings: ResolvedS3Settings;
  readonly memory: ReturnType<typeof partMemory>;
  readonly brake: RequestBrake;
  readonly unsettled: UnsettledWrites;
  /** Keeps the store open until something is cleaned up. */
  readonly cleaning: (work: Promise<void>) => void;
}

// Metadata by which a write recognises its own object.
const TOKEN_NAME = 'logloft-write';

// Whoever gave up waits for the parts to be forgotten, but not for ever.
const CLEAN_UP_MS = 2_000;
const TOKEN_BYTES = 16;
const ACTION = 'Writing the object';

/** Writes one object: in one request if it fits into a part, else in parts. */
export class ObjectWriter {
  readonly #context: WriterContext;
  readonly #key: string;
  readonly #options: PutOptions;
  readonly #token: string;
  readonly #patience: Patience;
  // Bytes reported so far, and those of the present attempt: a second one does not report twice.
  #reported = 0;
  #done = 0;
  #outcomeUnknown = false;
  #isInParts = false;
  #sums = new UploadSums();

  constructor(context: WriterContext, key: string, options: PutOptions) {
    this.#context = context;
    this.#key = key;
    this.#options = options;
    const token = context.random.fill(new Uint8Array(TOKEN_BYTES));
    this.#token = Buffer.from(token).toString('hex');
    const onWait = (): void => options.onProgress?.(0);
    this.#patience = new Patience({ clock: context.clock, onWait });
  }

  /** @throws RemoteStorageError by kind; the reason of the signal */
  async write(source: SegmentSource): Promise<void> {
    const { ifAbsent, signal } = this.#options;
    if (ifAbsent && !this.#context.settings.conditionalWrites) throw withoutCondition(this.#key);
    try {
      await this.#attempt(source).catch(async (error: unknown) => {
        signal?.throwIfAborted();
        // An upload that the store has lost is begun anew once; twice is no accident.
        if (!(isNoSuchUpload(error) || isConflict(error))) throw error;
        await this.#attempt(source);
      });
    } catch (error) {
      signal?.throwIfAborted();
      // What becomes of parts is settled where they are completed; whoever just replaces writes again.
      if (!ifAbsent || this.#isInParts || !(await this.#isOursAfter(error))) throw error;
    }
    if (ifAbsent) this.#context.unsettled.settle(this.#key);
  }

  // Also to tell an object of our own after an answer was lost.
  get #needsSum(): boolean {
    const { ifAbsent = false } = this.#options;
    return ifAbsent || this.#context.settings.checksums === 'crc32';
  }

  async #attempt(source: SegmentSource): Promise<void> {
    const { client, calls, settings, memory } = this.#context;
    const { signal, pacer } = this.#options;
    this.#done = 0;
    this.#sums = new UploadSums();
    const sums = this.#sums;
    const headers = this.#headers(true);
    const parts = new MultipartUpload({ client, calls, settings, sums, key: this.#key, headers });
    const { partBytes, minPartBytes } = this.#partSizes(source);
    try {
      await uploadParts(source, {
        signal,
        pacer,
        memory,
        partBytes,
        minPartBytes,
        maxInFlight: settings.partsInFlight,
        checksum: this.#needsSum ? crc32 : undefined,
        // A part is tried again here, where the time for a call is known.
        retry: { ...calls.retrying, policy: { ...calls.retrying.policy, maxAttempts: 1 } },
        onProgress: (bytes) => this.#onProgress(bytes),
        send: (part, inner) => this.#send(part, parts, inner),
      });
      if (parts.isBegun) await this.#complete(parts);
    } catch (error) {
      if (parts.isBegun) await this.#abandon(parts);
      throw error;
    }
  }

  async #send(part: UploadPart, parts: MultipartUpload, signal: AbortSignal): Promise<void> {
    const call: CallSettings<unknown> = {
      signal,
      bodyBytes: part.bytes.byteLength,
      onActivity: () => this.#options.onProgress?.(0),
      onRetry: () => this.#onRetry(),
    };
    const { brake, calls } = this.#context;
    const isWhole = part.isLast && part.index === 0;
    const attempt = (inner: AbortSignal | undefined): Promise<void> =>
      this.#patience.working(async () => {
        const once = { ...call, signal: inner };
        this.#isInParts = !isWhole;
        if (isWhole) await this.#putWhole(part, once);
        else await parts.send(part, once);
      });
    await this.#patience.during(() =>
      calls.repeated({ action: ACTION, key: this.#key }, call, (inner) =>
        brake.run(() => attempt(inner), inner),
      ),
    );
  }

  async #putWhole(part: UploadPart, call: CallSettings<unknown>): Promise<void> {
    const { client, calls, settings } = this.#context;
    const { ifAbsent = false } = this.#options;
    const crc = this.#needsSum ? crc32Text(this.#sums.of(part)) : undefined;
    const sent = settings.checksums === 'crc32' ? crc : undefined;
    const facts = {
      action: ACTION,
      key: this.#key,
      permission: 's3:PutObject',
      feature: ifAbsent ? 'conditional-writes' : 'checksums',
    } as const;
    await calls.once(facts, call, (options) =>
      client.send(
        tuned(
          new PutObjectCommand({
            ...this.#headers(ifAbsent),
            Bucket: settings.bucket,
            Key: this.#key,
            Body: part.bytes,
            ContentLength: part.bytes.byteLength,
            ChecksumCRC32: sent,
            ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
          }),
          { unsignedPayload: !settings.signedPayload, withoutChecksums: sent === undefined },
        ),
        options,
      ),
    );
  }

  async #complete(parts: MultipartUpload): Promise<void> {
    const { ifAbsent = false, signal, onProgress } = this.#options;
    const call: CallSettings<unknown> = {
      signal,
      onActivity: () => onProgress?.(0),
      onRetry: () => this.#onRetry(),
    };
    try {
      // What hangs is found by its own time-outs.
      await this.#patience.during(() => parts.complete(ifAbsent, call));
    } catch (error) {
      signal?.throwIfAborted();
      // "No such upload" is what a store says that has completed it already, and whose answer was lost.
      if (isNoSuchUpload(error)) this.#outcomeUnknown = true;
      if (!(await this.#isOursAfter(error))) throw error;
    }
  }

  /** Whether the object is there all the same, written by an attempt whose answer was lost. */
  async #isOursAfter(error: unknown): Promise<boolean> {
    const { settings, calls, client, unsettled } = this.#context;
    const { ifAbsent, signal } = this.#options;
    if (!isRemoteStorageError(error)) return false;
    if (error.retryable && error.kind !== 'throttled') this.#outcomeUnknown = true;
    const write: ConditionalWrite = {
      token: this.#token,
      bytes: this.#sums.bytes,
      crc: this.#sums.whole(),
    };
    const tokens = ifAbsent ? unsettled.tokensOf(this.#key, write) : [this.#token];
    const isRefused = error.kind === 'precondition' && ifAbsent;
    if (!this.#outcomeUnknown && !(isRefused && tokens.length > 1)) return false;
    try {
      const { metadata } = await headObject({ client, calls, settings }, this.#key, signal);
      return tokens.includes(metadata.get(TOKEN_NAME) ?? '');
    } catch (headError) {
      signal?.throwIfAborted();
      if (ifAbsent && !isDefinite(headError)) unsettled.remember(this.#key, write);
      return false;
    }
  }

  async #abandon(parts: MultipartUpload): Promise<void> {
    const { clock, logger, cleaning } = this.#context;
    const work = parts.abandon().catch((error: unknown) => {
      logger.warn('An unfinished upload was left behind', { key: this.#key, error });
    });
    cleaning(work);
    await withDeadline({ clock, ms: CLEAN_UP_MS, action: 'Cleaning up' }, () => work).catch(
      () => undefined,
    );
  }

  #onRetry(): void {
    this.#outcomeUnknown = true;
  }

  #onProgress(bytes: number): void {
    this.#done += bytes;
    const more = this.#done - this.#reported;
    if (more <= 0) return;
    this.#reported = this.#done;
    this.#options.onProgress?.(more);
  }

  #headers(withToken: boolean): Omit<PutObjectCommandInput, 'Bucket' | 'Key' | 'Body'> {
    const { storageClass, serverSideEncryption, kmsKeyId } = this.#context.settings;
    return {
      ...(withToken ? { Metadata: { [TOKEN_NAME]: this.#token } } : {}),
      // Stores add classes faster than the SDK knows their names.
      StorageClass: storageClass as PutObjectCommandInput['StorageClass'],
      ServerSideEncryption: serverSideEncryption,
      SSEKMSKeyId: kmsKeyId,
    };
  }

  // All parts but the last are of one size, and there are at most so many of them.
  #partSizes({ size }: SegmentSource): { partBytes: number; minPartBytes: number } {
    const least = Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS));
    return { partBytes: Math.max(this.#context.settings.partBytes, least), minPartBytes: least };
  }
}

function isConflict(error: unknown): boolean {
  return isRemoteStorageError(error) && error.kind === 'precondition' && error.retryable;
}

function isDefinite(error: unknown): boolean {
  return isRemoteStorageError(error) && error.kind === 'not-found';
}

function withoutCondition(key: string): RemoteStorageError {
  return new RemoteStorageError(
    'invalid-configuration',
    `Writing the object ${JSON.stringify(key)} only if it is absent needs a store with conditional ` +
      'writes; "s3.conditional.writes" is false',
    { key },
  );
}
