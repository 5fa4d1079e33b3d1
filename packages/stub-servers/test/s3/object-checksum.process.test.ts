import { crc32 } from 'node:zlib';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { startS3Stub } from '../../src/s3/index.ts';

function text(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes.toString('base64');
}

test.each([
  { claimed: 'the right checksum', offset: 0, outcome: 'completed' },
  { claimed: 'another checksum', offset: 1, outcome: 'BadDigest' },
])('completing with $claimed of the whole object is $outcome', async ({ offset, outcome }) => {
  await using stub = await startS3Stub({ buckets: ['bucket'] });
  const { url: endpoint, region, credentials } = stub;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const object = { Bucket: 'bucket', Key: 'object' };
  const body = Buffer.from('the only part');
  const sum = text(crc32(body));
  try {
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({
        ...object,
        ChecksumAlgorithm: 'CRC32',
        ChecksumType: 'FULL_OBJECT',
      }),
    );
    const { ETag } = await client.send(
      new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: body, ChecksumCRC32: sum }),
    );
    const completed = client.send(
      new CompleteMultipartUploadCommand({
        ...object,
        UploadId,
        ChecksumType: 'FULL_OBJECT',
        ChecksumCRC32: text((crc32(body) + offset) >>> 0),
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
      }),
    );
    const seen = await completed.then(
      () => 'completed',
      (error: unknown) => (error instanceof Error ? error.name : error),
    );
    expect(seen).toBe(outcome);
  } finally {
    client.destroy();
  }
});
