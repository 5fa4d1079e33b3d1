import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { startS3Stub } from '@logloft/stub-servers/s3';

const stub = await startS3Stub({ buckets: ['loft'] });
const client = new S3Client({
  endpoint: stub.url,
  region: stub.region,
  credentials: stub.credentials,
  forcePathStyle: true,
});
try {
  await client.send(new PutObjectCommand({ Bucket: 'loft', Key: 'some/object', Body: 'hello' }));
  // The next read is refused once; the SDK repeats it.
  const failure = stub.failures.add({
    operation: 'GetObject',
    times: 1,
    action: { kind: 'answer', status: 503, code: 'SlowDown' },
  });
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'loft', Key: 'some/object' }));
  console.log(await Body?.transformToString()); // hello
  console.log(failure.fired, stub.requests.count('GetObject')); // 1 2
} finally {
  client.destroy();
  await stub.close();
}
