import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';

let buckets = 0;

/** A bucket of its own for one test. */
export interface ScratchBucket {
  readonly bucket: string;
  /** Takes the bucket away with everything in it. */
  remove(): Promise<void>;
}

export async function scratchBucket(client: S3Client): Promise<ScratchBucket> {
  buckets += 1;
  const bucket = `scratch-${process.pid}-${buckets}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return { bucket, remove: () => removeBucket(client, bucket) };
}

async function removeBucket(client: S3Client, bucket: string): Promise<void> {
  const uploads = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  for (const { Key, UploadId } of uploads.Uploads ?? []) {
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
  }
  for (;;) {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    for (const { Key } of page.Contents ?? []) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    }
    if (!page.IsTruncated) break;
  }
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
}
