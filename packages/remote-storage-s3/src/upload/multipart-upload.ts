import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { RemoteStorageError, type UploadPart } from '@logloft/remote-storage';
import { crc32Text } from '../crc32-combine.ts';
import { isNoSuchUpload } from '../errors/s3-error.ts';
import type { CallSettings, S3Calls } from '../s3-calls.ts';
import type { ResolvedS3Settings } from '../s3-settings.ts';
import { tuned } from '../tuned-command.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { UploadSums } from './upload-sums.ts';

/** What a multipart upload is made with. */
export interface MultipartContext {
  readonly client: S3Client;
  readonly calls: S3Calls;
  readonly settings: ResolvedS3Settings;
  readonly sums: UploadSums;
  readonly key: string;
  /** How the object is to be stored. */
  readonly headers: Omit<CreateMultipartUploadCommandInput, 'Bucket' | 'Key'>;
}

interface BegunUpload {
  readonly uploadId: string;
  /** Whether the store will compare the checksum of the whole; others take it for one of checksums. */
  readonly takesWholeSum: boolean;
}

// Completing may take minutes; the store sends blanks meanwhile.
const COMPLETE_MS = 300_000;
const ACTION = 'Writing the object';
const PERMISSION = 's3:PutObject';

/** An object that is sent in parts, and is seen when it is completed. Begun with its first part. */
export class MultipartUpload {
  readonly #context: MultipartContext;
  readonly #etags = new Map<number, string>();
  #begun: Promise<BegunUpload> | undefined;

  constructor(context: MultipartContext) {
    this.#context = context;
  }

  get isBegun(): boolean {
    return this.#begun !== undefined;
  }

  /** Sends one part, once. */
  async send(part: UploadPart, call: CallSettings<unknown>): Promise<void> {
    const { client, calls, settings, sums, key } = this.#context;
    const { bytes } = part;
    const crc = settings.checksums === 'crc32' ? crc32Text(sums.of(part)) : undefined;
    const { uploadId } = await this.#begin(call.signal);
    const facts = { action: ACTION, key, permission: PERMISSION, feature: 'checksums' } as const;
    const answer = await calls.once(facts, { ...call, bodyBytes: bytes.byteLength }, (options) =>
      client.send(
        tuned(
          new UploadPartCommand({
            Bucket: settings.bucket,
            Key: key,
            UploadId: uploadId,
            PartNumber: part.index + 1,
            Body: bytes,
            ContentLength: bytes.byteLength,
            ChecksumCRC32: crc,
          }),
          {
            unsignedPayload: !settings.signedPayload,
            withoutChecksums: crc === undefined,
          },
        ),
        options,
      ),
    );
    if (answer.ETag === undefined) {
      throw new RemoteStorageError('unavailable', `The store gave no ETag for a part of ${key}`, {
        key,
      });
    }
    this.#etags.set(part.index, answer.ETag);
  }

  /** Makes the object of the parts. */
  async complete(ifAbsent: boolean, call: CallSettings<unknown>): Promise<void> {
    const { client, calls, settings, sums, key } = this.#context;
    const { uploadId, takesWholeSum } = await this.#begin(call.signal);
    const withCrc = settings.checksums === 'crc32';
    const parts = [...this.#etags].toSorted(([a], [b]) => a - b);
    const facts = {
      action: ACTION,
      key,
      permission: PERMISSION,
      feature: ifAbsent ? 'conditional-writes' : 'checksums',
    } as const;
    await calls.retried(facts, { ...call, deadlineMs: COMPLETE_MS }, (options) =>
      client.send(
        new CompleteMultipartUploadCommand({
          Bucket: settings.bucket,
          Key: key,
          UploadId: uploadId,
          ...(withCrc && takesWholeSum
            ? { ChecksumType: 'FULL_OBJECT', ChecksumCRC32: crc32Text(sums.whole()) }
            : {}),
          ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
          MultipartUpload: {
            Parts: parts.map(([index, ETag]) => ({
              PartNumber: index + 1,
              ETag,
              // Some stores want them again, besides that of the whole.
              ...(withCrc ? { ChecksumCRC32: crc32Text(sums.ofIndex(index)) } : {}),
            })),
          },
        }),
        options,
      ),
    );
  }

  /**
   * Gives up: the store forgets the parts. Not stopped by the signal of the upload; waits for an upload id
   * that is still on its way, since nobody else will ever learn of it.
   */
  async abandon(): Promise<void> {
    if (this.#begun === undefined) return;
    const { client, calls, settings, key } = this.#context;
    const begun = await this.#begun.catch(() => undefined);
    if (begun === undefined) return;
    const { uploadId } = begun;
    const facts = {
      action: 'Abandoning the upload of',
      key,
      permission: 's3:AbortMultipartUpload',
    };
    await calls
      .retried(facts, { outlivesClose: true }, (options) =>
        client.send(
          new AbortMultipartUploadCommand({
            Bucket: settings.bucket,
            Key: key,
            UploadId: uploadId,
          }),
          options,
        ),
      )
      .catch((error: unknown) => {
        if (!isNoSuchUpload(error)) throw error;
      });
  }

  async #begin(signal: AbortSignal | undefined): Promise<BegunUpload> {
    // A second part must not begin a second upload; and one that is begun is worth waiting for.
    this.#begun ??= this.#create();
    return await unlessAborted(this.#begun, signal);
  }

  async #create(): Promise<BegunUpload> {
    const { client, calls, settings, key, headers } = this.#context;
    const withCrc = settings.checksums === 'crc32';
    const facts = { action: ACTION, key, permission: PERMISSION, feature: 'checksums' } as const;
    const { UploadId: uploadId, ChecksumType: type } = await calls.retried(
      facts,
      { outlivesClose: true },
      (options) =>
        client.send(
          tuned(
            new CreateMultipartUploadCommand({
              ...headers,
              Bucket: settings.bucket,
              Key: key,
              ...(withCrc ? { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' } : {}),
            }),
            { withoutChecksums: !withCrc },
          ),
          options,
        ),
    );
    if (uploadId !== undefined) return { uploadId, takesWholeSum: type === 'FULL_OBJECT' };
    throw new RemoteStorageError('unavailable', `The store gave no upload id for ${key}`, { key });
  }
}
