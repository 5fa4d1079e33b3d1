import type { MemoryBudget } from '../storage/memory-budget.ts';
import { SortedKeys } from '../storage/sorted-keys.ts';
import type { PendingUpload } from './pending-upload.ts';
import { S3Error } from './s3-error.ts';
import type { S3Object } from './s3-object.ts';

/** A bucket: its objects, and the uploads in parts that are not finished. */
export interface S3Bucket {
  readonly name: string;
  readonly createdMs: number;
  readonly objects: SortedKeys<S3Object>;
  readonly uploads: Map<string, PendingUpload>;
}

const NAME = /^(?=.{3,63}$)[a-z\d][a-z\d.-]*[a-z\d]$/;

/**
 * All that is stored. Each method does its work at once, so that whatever is checked before it in the
 * same turn of the event loop still holds.
 */
export class S3Storage {
  readonly #buckets = new Map<string, S3Bucket>();
  readonly #budget: MemoryBudget;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** All buckets, in the order of their names. */
  buckets(): readonly S3Bucket[] {
    return [...this.#buckets.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws S3Error when there is no such bucket */
  bucket(name: string): S3Bucket {
    const bucket = this.#buckets.get(name);
    if (bucket !== undefined) return bucket;
    throw new S3Error('NoSuchBucket', 'The specified bucket does not exist');
  }

  /** @throws S3Error when the name is not one, or taken */
  createBucket(name: string, nowMs: number): void {
    if (!NAME.test(name) || name.includes('..')) {
      throw new S3Error('InvalidBucketName', `The specified bucket is not valid: ${name}`);
    }
    if (this.#buckets.has(name)) {
      throw new S3Error(
        'BucketAlreadyOwnedByYou',
        'Your previous request to create the named bucket succeeded and you already own it.',
      );
    }
    this.#buckets.set(name, {
      name,
      createdMs: nowMs,
      objects: new SortedKeys(),
      uploads: new Map(),
    });
  }

  /** @throws S3Error when there is no such bucket, or objects in it */
  deleteBucket(name: string): void {
    const bucket = this.bucket(name);
    if (bucket.objects.size > 0) {
      throw new S3Error('BucketNotEmpty', 'The bucket you tried to delete is not empty');
    }
    for (const upload of [...bucket.uploads.values()]) this.dropUpload(bucket, upload);
    this.#buckets.delete(name);
  }

  /** Publishes an object whose bytes are reserved, in place of one of the same key. */
  putObject(bucket: S3Bucket, object: S3Object): void {
    const before = bucket.objects.get(object.key);
    bucket.objects.set(object.key, object);
    if (before !== undefined) this.#budget.release(before.bytes.size);
  }

  /** Removes an object, if it is there. */
  deleteObject(bucket: S3Bucket, key: string): void {
    const object = bucket.objects.get(key);
    if (object === undefined) return;
    bucket.objects.delete(key);
    this.#budget.release(object.bytes.size);
  }

  /** @throws S3Error when there is no such upload of that key */
  upload(bucket: S3Bucket, key: string, uploadId: string): PendingUpload {
    const upload = bucket.uploads.get(uploadId);
    if (upload?.key === key) return upload;
    throw new S3Error(
      'NoSuchUpload',
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
      { UploadId: uploadId },
    );
  }

  /** Forgets an upload and its parts, but for the bytes that `kept` parts hand over to an object. */
  dropUpload(
    bucket: S3Bucket,
    upload: PendingUpload,
    keptPartNumbers: ReadonlySet<number> = new Set(),
  ): void {
    bucket.uploads.delete(upload.uploadId);
    for (const part of upload.parts.values()) {
      if (!keptPartNumbers.has(part.partNumber)) this.#budget.release(part.bytes.size);
    }
    upload.parts.clear();
  }
}
